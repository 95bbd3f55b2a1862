// Errors a client can cause or observe, and their wire names.
//
// An Error travels by value inside Result<T>; it becomes JSON or XML only in api/.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gateleg {

enum class ErrorCode : std::uint8_t {
    kAccessDenied,
    kConditionalCheckFailed,
    kExpiredIterator,
    kIdempotentParameterMismatch,
    kIncompleteSignature,
    kInternal,
    kInvalidSignature,
    kItemCollectionSizeLimitExceeded,
    kLimitExceeded,
    kMissingAuthenticationToken,
    kRequestTooLarge,
    kResourceInUse,
    kResourceNotFound,
    kSerialization,
    kServiceUnavailable,
    kThrottling,
    kTransactionCanceled,
    kTransactionConflict,
    kTransactionInProgress,
    kTrimmedDataAccess,
    kUnknownOperation,
    kUnrecognizedClient,
    kValidation,
};

// What some errors carry beside their message; the module that makes it derives from it.
struct ErrorDetail {
    virtual ~ErrorDetail() = default;
};

struct Error {
    ErrorCode code = ErrorCode::kInternal;
    std::string message;
    std::shared_ptr<const ErrorDetail> detail = nullptr;
};

// Error factories: a call site reads as the sentence it returns.
Error validation_error(std::string message);
Error serialization_error(std::string message);
Error resource_not_found(std::string message);
Error resource_in_use(std::string message);
Error service_unavailable(std::string message);
// The cause is for the log; a client learns only that the fault is ours.
Error internal_error(std::string_view cause);

// The name a DynamoDB SDK matches on, such as "ValidationException".
std::string_view wire_name(ErrorCode code);
int http_status(ErrorCode code);

}  // namespace gateleg

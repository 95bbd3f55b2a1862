#include "base/error.h"

#include <utility>

#include "base/log.h"

namespace gateleg {

Error validation_error(std::string message) {
    return {ErrorCode::kValidation, std::move(message)};
}

Error serialization_error(std::string message) {
    return {ErrorCode::kSerialization, std::move(message)};
}

Error resource_not_found(std::string message) {
    return {ErrorCode::kResourceNotFound, std::move(message)};
}

Error resource_in_use(std::string message) {
    return {ErrorCode::kResourceInUse, std::move(message)};
}

Error service_unavailable(std::string message) {
    return {ErrorCode::kServiceUnavailable, std::move(message)};
}

Error internal_error(std::string_view cause) {
    log_error("internal error", {{"cause", cause}});
    return {ErrorCode::kInternal, "Internal server error"};
}

std::string_view wire_name(ErrorCode code) {
    switch (code) {
        case ErrorCode::kAccessDenied:
            return "AccessDeniedException";
        case ErrorCode::kConditionalCheckFailed:
            return "ConditionalCheckFailedException";
        case ErrorCode::kExpiredIterator:
            return "ExpiredIteratorException";
        case ErrorCode::kIdempotentParameterMismatch:
            return "IdempotentParameterMismatchException";
        case ErrorCode::kIncompleteSignature:
            return "IncompleteSignatureException";
        case ErrorCode::kInternal:
            return "InternalServerError";
        case ErrorCode::kInvalidSignature:
            return "InvalidSignatureException";
        case ErrorCode::kItemCollectionSizeLimitExceeded:
            return "ItemCollectionSizeLimitExceededException";
        case ErrorCode::kLimitExceeded:
            return "LimitExceededException";
        case ErrorCode::kMissingAuthenticationToken:
            return "MissingAuthenticationTokenException";
        case ErrorCode::kRequestTooLarge:
            return "RequestEntityTooLarge";
        case ErrorCode::kResourceInUse:
            return "ResourceInUseException";
        case ErrorCode::kResourceNotFound:
            return "ResourceNotFoundException";
        case ErrorCode::kSerialization:
            return "SerializationException";
        case ErrorCode::kServiceUnavailable:
            return "ServiceUnavailable";
        case ErrorCode::kThrottling:
            return "ThrottlingException";
        case ErrorCode::kTransactionCanceled:
            return "TransactionCanceledException";
        case ErrorCode::kTransactionConflict:
            return "TransactionConflictException";
        case ErrorCode::kTransactionInProgress:
            return "TransactionInProgressException";
        case ErrorCode::kTrimmedDataAccess:
            return "TrimmedDataAccessException";
        case ErrorCode::kUnknownOperation:
            return "UnknownOperationException";
        case ErrorCode::kUnrecognizedClient:
            return "UnrecognizedClientException";
        case ErrorCode::kValidation:
            return "ValidationException";
    }
    return "InternalServerError";
}

int http_status(ErrorCode code) {
    switch (code) {
        case ErrorCode::kInternal:
            return 500;
        case ErrorCode::kServiceUnavailable:
            return 503;
        case ErrorCode::kRequestTooLarge:
            return 413;
        default:
            return 400;
    }
}

}  // namespace gateleg

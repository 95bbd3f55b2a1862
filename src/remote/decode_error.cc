#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "remote/decode_reply.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote {
namespace {

using internal::ReplyReader;

struct Name {
    std::string_view type;
    ErrorCode code;
};

// By name. Some services leave out "Exception", and some errors have no code of their own here.
constexpr std::array kNames = {
    Name{"AccessDenied", ErrorCode::kAccessDenied},
    Name{"AccessDeniedException", ErrorCode::kAccessDenied},
    Name{"ConditionalCheckFailedException", ErrorCode::kConditionalCheckFailed},
    Name{"ExpiredIteratorException", ErrorCode::kExpiredIterator},
    Name{"ExpiredToken", ErrorCode::kUnrecognizedClient},
    Name{"ExpiredTokenException", ErrorCode::kUnrecognizedClient},
    Name{"IdempotentParameterMismatchException", ErrorCode::kIdempotentParameterMismatch},
    Name{"IncompleteSignature", ErrorCode::kIncompleteSignature},
    Name{"IncompleteSignatureException", ErrorCode::kIncompleteSignature},
    Name{"InternalFailure", ErrorCode::kInternal},
    Name{"InternalServerError", ErrorCode::kInternal},
    Name{"InternalServerErrorException", ErrorCode::kInternal},
    Name{"InvalidClientTokenId", ErrorCode::kUnrecognizedClient},
    Name{"InvalidSignatureException", ErrorCode::kInvalidSignature},
    Name{"ItemCollectionSizeLimitExceededException", ErrorCode::kItemCollectionSizeLimitExceeded},
    Name{"LimitExceededException", ErrorCode::kLimitExceeded},
    Name{"MissingAuthenticationToken", ErrorCode::kMissingAuthenticationToken},
    Name{"MissingAuthenticationTokenException", ErrorCode::kMissingAuthenticationToken},
    Name{"NotAuthorized", ErrorCode::kAccessDenied},
    Name{"ProvisionedThroughputExceededException", ErrorCode::kThrottling},
    Name{"RequestEntityTooLarge", ErrorCode::kRequestTooLarge},
    Name{"RequestLimitExceeded", ErrorCode::kThrottling},
    Name{"RequestLimitExceededException", ErrorCode::kThrottling},
    Name{"ResourceInUseException", ErrorCode::kResourceInUse},
    Name{"ResourceNotFoundException", ErrorCode::kResourceNotFound},
    Name{"SerializationException", ErrorCode::kSerialization},
    Name{"ServiceUnavailable", ErrorCode::kServiceUnavailable},
    Name{"ServiceUnavailableException", ErrorCode::kServiceUnavailable},
    Name{"SignatureDoesNotMatch", ErrorCode::kInvalidSignature},
    Name{"TableNotFoundException", ErrorCode::kResourceNotFound},
    Name{"Throttling", ErrorCode::kThrottling},
    Name{"ThrottlingException", ErrorCode::kThrottling},
    Name{"TransactionCanceledException", ErrorCode::kTransactionCanceled},
    Name{"TransactionConflictException", ErrorCode::kTransactionConflict},
    Name{"TransactionInProgressException", ErrorCode::kTransactionInProgress},
    Name{"TrimmedDataAccessException", ErrorCode::kTrimmedDataAccess},
    Name{"UnknownOperation", ErrorCode::kUnknownOperation},
    Name{"UnknownOperationException", ErrorCode::kUnknownOperation},
    Name{"UnrecognizedClientException", ErrorCode::kUnrecognizedClient},
    Name{"ValidationException", ErrorCode::kValidation},
};

std::optional<ErrorCode> find_code(std::string_view type) {
    static_assert(std::is_sorted(kNames.begin(), kNames.end(), [](const Name& a, const Name& b) {
        return a.type < b.type;
    }));
    const auto found = std::lower_bound(
        kNames.begin(),
        kNames.end(),
        type,
        [](const Name& name, std::string_view wanted) { return name.type < wanted; }
    );
    return found != kNames.end() && found->type == type ? std::optional(found->code) : std::nullopt;
}

ErrorCode code_of_status(int status) {
    return status == 503   ? ErrorCode::kServiceUnavailable
           : status == 429 ? ErrorCode::kThrottling
           : status == 413 ? ErrorCode::kRequestTooLarge
           : status == 403 ? ErrorCode::kAccessDenied
           : status >= 500 ? ErrorCode::kInternal
                           : ErrorCode::kValidation;
}

// "com.amazonaws.dynamodb.v20120810#ValidationException:http://internal.amazon.com/" and the like.
std::string_view bare_type(std::string_view type) {
    type = type.substr(0, type.find(':'));
    const auto hash = type.rfind('#');
    return hash == std::string_view::npos ? type : type.substr(hash + 1);
}

std::shared_ptr<const ErrorDetail> decode_detail(const ReplyReader& in) {
    if (in.has("CancellationReasons")) {
        std::vector<dynamo::CancellationReason> reasons;
        for (const auto& each : in.objects("CancellationReasons")) {
            reasons.push_back(
                {each.text("Code").value_or("None"),
                 each.text("Message").value_or(""),
                 each.item("Item")}
            );
        }
        return std::make_shared<dynamo::CancellationReasons>(std::move(reasons));
    }
    if (auto item = in.item("Item")) {
        return std::make_shared<dynamo::FailedItem>(*std::move(item));
    }
    return nullptr;
}

}  // namespace

StoreError decode_error(int status, std::string_view error_type, std::string_view body) {
    StoreError found;
    std::string type;
    const auto read = internal::read_reply(body, [&](const ReplyReader& in) {
        type = in.text("__type").value_or("");
        auto message = in.text("message");
        found.error.message = (message ? std::move(message) : in.text("Message")).value_or("");
        found.error.detail = decode_detail(in);
    });
    if (!read) {
        found.error.detail = nullptr;
    }
    found.type = bare_type(type.empty() ? error_type : std::string_view(type));
    const auto code = find_code(found.type);
    found.error.code = code.value_or(code_of_status(status));
    if (!code) {
        // Its name would be lost otherwise.
        const auto& name =
            found.type.empty() ? "HTTP status " + std::to_string(status) : found.type;
        found.error.message =
            found.error.message.empty() ? name : name + ": " + found.error.message;
    }
    return found;
}

}  // namespace gateleg::remote

#include "objects/errors.h"

#include <memory>
#include <utility>

namespace gateleg::objects {

namespace {

struct ReasonDetail final : ErrorDetail {
    explicit ReasonDetail(Reason why) : reason(why) {}
    Reason reason;
};

struct ReasonRow {
    std::string_view code;
    int status;
    ErrorCode error;
    std::string_view message;
};

ReasonRow row_of(Reason reason) {
    switch (reason) {
        case Reason::kBadDigest:
            return {
                "BadDigest",
                400,
                ErrorCode::kValidation,
                "The Content-MD5 or checksum value that you specified did not match what the "
                "server "
                "received."};
        case Reason::kBucketAlreadyOwnedByYou:
            return {
                "BucketAlreadyOwnedByYou",
                409,
                ErrorCode::kResourceInUse,
                "Your previous request to create the named bucket succeeded and you already own "
                "it."};
        case Reason::kBucketNotEmpty:
            return {
                "BucketNotEmpty",
                409,
                ErrorCode::kResourceInUse,
                "The bucket you tried to delete is not empty."};
        case Reason::kEntityTooLarge:
            return {
                "EntityTooLarge",
                400,
                ErrorCode::kRequestTooLarge,
                "Your proposed upload exceeds the maximum allowed object size."};
        case Reason::kEntityTooSmall:
            return {
                "EntityTooSmall",
                400,
                ErrorCode::kValidation,
                "Your proposed upload is smaller than the minimum allowed object size."};
        case Reason::kIncompleteBody:
            return {
                "IncompleteBody",
                400,
                ErrorCode::kValidation,
                "You did not provide the number of bytes specified by the Content-Length HTTP "
                "header."};
        case Reason::kInvalidArgument:
            return {"InvalidArgument", 400, ErrorCode::kValidation, "Invalid Argument"};
        case Reason::kInvalidBucketName:
            return {
                "InvalidBucketName",
                400,
                ErrorCode::kValidation,
                "The specified bucket is not valid."};
        case Reason::kInvalidDigest:
            return {
                "InvalidDigest",
                400,
                ErrorCode::kValidation,
                "The Content-MD5 or checksum value that you specified is not valid."};
        case Reason::kInvalidPart:
            return {
                "InvalidPart",
                400,
                ErrorCode::kValidation,
                "One or more of the specified parts could not be found. The part may not have been "
                "uploaded, or the specified entity tag may not match the part's entity tag."};
        case Reason::kInvalidPartOrder:
            return {
                "InvalidPartOrder",
                400,
                ErrorCode::kValidation,
                "The list of parts was not in ascending order. Parts must be ordered by part "
                "number."};
        case Reason::kInvalidRequest:
            return {"InvalidRequest", 400, ErrorCode::kValidation, "Invalid Request"};
        case Reason::kInvalidTag:
            return {
                "InvalidTag", 400, ErrorCode::kValidation, "The tag provided was not a valid tag."};
        case Reason::kKeyTooLong:
            return {"KeyTooLongError", 400, ErrorCode::kValidation, "Your key is too long"};
        case Reason::kMetadataTooLarge:
            return {
                "MetadataTooLarge",
                400,
                ErrorCode::kValidation,
                "Your metadata headers exceed the maximum allowed metadata size."};
        case Reason::kNoSuchBucket:
            return {
                "NoSuchBucket",
                404,
                ErrorCode::kResourceNotFound,
                "The specified bucket does not exist"};
        case Reason::kNoSuchCorsConfiguration:
            return {
                "NoSuchCORSConfiguration",
                404,
                ErrorCode::kResourceNotFound,
                "The CORS configuration does not exist"};
        case Reason::kNoSuchKey:
            return {
                "NoSuchKey",
                404,
                ErrorCode::kResourceNotFound,
                "The specified key does not exist."};
        case Reason::kNoSuchUpload:
            return {
                "NoSuchUpload",
                404,
                ErrorCode::kResourceNotFound,
                "The specified upload does not exist. The upload ID may be invalid, or the upload "
                "may have been aborted or completed."};
        case Reason::kNotAnImage:
            return {
                "InvalidRequest",
                400,
                ErrorCode::kValidation,
                "The object is not an image that can be read."};
        case Reason::kImageTooLarge:
            return {"EntityTooLarge", 400, ErrorCode::kRequestTooLarge, "The image is too large."};
        case Reason::kPayloadMismatch:
            return {
                "XAmzContentSHA256Mismatch",
                400,
                ErrorCode::kInvalidSignature,
                "The provided 'x-amz-content-sha256' header does not match what was computed."};
        case Reason::kPreconditionFailed:
            return {
                "PreconditionFailed",
                412,
                ErrorCode::kConditionalCheckFailed,
                "At least one of the pre-conditions you specified did not hold"};
        case Reason::kTooManyBuckets:
            return {
                "TooManyBuckets",
                400,
                ErrorCode::kLimitExceeded,
                "You have attempted to create more buckets than allowed."};
    }
    return {"InternalError", 500, ErrorCode::kInternal, "Internal server error"};
}

}  // namespace

std::string_view s3_code(Reason reason) {
    return row_of(reason).code;
}

int s3_status(Reason reason) {
    return row_of(reason).status;
}

Error object_error(Reason reason, std::string message) {
    const auto row = row_of(reason);
    if (message.empty()) {
        message = row.message;
    }
    return {row.error, std::move(message), std::make_shared<ReasonDetail>(reason)};
}

std::optional<Reason> reason_of(const Error& error) {
    const auto* detail = dynamic_cast<const ReasonDetail*>(error.detail.get());
    return detail == nullptr ? std::nullopt : std::optional(detail->reason);
}

}  // namespace gateleg::objects

// What can go wrong with buckets and objects, beyond the codes that every module shares.
//
// Such an Error has a code of base/error.h for those who know no S3, and a reason for those who do.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace gateleg::objects {

enum class Reason : std::uint8_t {
    kBadDigest,
    kBucketAlreadyOwnedByYou,
    kBucketNotEmpty,
    kEntityTooLarge,
    kEntityTooSmall,
    kIncompleteBody,
    kInvalidArgument,
    kInvalidBucketName,
    kInvalidDigest,
    kInvalidPart,
    kInvalidPartOrder,
    kInvalidRequest,
    kInvalidTag,
    kKeyTooLong,
    kMetadataTooLarge,
    kNoSuchBucket,
    kNoSuchCorsConfiguration,
    kNoSuchKey,
    kNoSuchUpload,
    kNotAnImage,       // a thumbnail was asked of something else; S3 has no such error
    kImageTooLarge,    // more pixels or bytes than the limits allow; nor this one
    kPayloadMismatch,  // the body is not the one that was signed
    kPreconditionFailed,
    kTooManyBuckets,
};

// "NoSuchKey": the name S3 gives it on the wire.
std::string_view s3_code(Reason reason);
int s3_status(Reason reason);

// With S3's usual message when `message` is empty.
Error object_error(Reason reason, std::string message = {});

// Nothing for errors of other modules: a full disk is kServiceUnavailable, a broken one kInternal.
std::optional<Reason> reason_of(const Error& error);

}  // namespace gateleg::objects

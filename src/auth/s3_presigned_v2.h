// Signature Version 2 in the query of a URL: what boto3 and version 1 of the AWS command line
// presign with unless they are told otherwise. Nothing else of that version is accepted.

#pragma once

#include <string>
#include <string_view>

#include "auth/canonical_request.h"
#include "auth/s3_signature.h"
#include "base/result.h"

namespace gateleg::auth {

// The text that is signed. `expires` is the parameter of that name; `host_bucket` as in S3Policy.
std::string string_to_sign_v2(
    const SignedRequest& request, std::string_view expires, std::string_view host_bucket
);

// Base64 of the HMAC-SHA1 of `text`.
std::string sign_v2(std::string_view secret_access_key, std::string_view text);

// For a request whose query names an AWSAccessKeyId and that has no other credentials.
Result<S3Signature> verify_presigned_v2(const SignedRequest& request, const S3Policy& policy);

}  // namespace gateleg::auth

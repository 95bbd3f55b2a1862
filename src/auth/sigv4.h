// AWS Signature Version 4 in the Authorization header: verifying it, and making it.
//
// Works on a plain struct, so that neither needs a connection. Query-string signatures (presigned
// URLs) are not accepted here.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "auth/canonical_request.h"
#include "auth/credentials.h"
#include "auth/signing_key.h"
#include "base/result.h"

namespace gateleg::auth {

// Who sent a verified request.
struct Identity {
    std::string access_key_id;
    std::string profile;
    std::shared_ptr<const Scope> scope;  // null allows nothing
};

// What a signature must have been made for. Built for each call.
struct SigV4Policy {
    std::string_view service = "dynamodb";
    std::string_view region = "us-east-1";
    // Accept a body that the signature does not cover, if the client says UNSIGNED-PAYLOAD.
    bool allow_unsigned_payload = false;
    // Seconds since the epoch, of the real clock.
    std::int64_t now_seconds = 0;
};

// How far X-Amz-Date may lie from our clock, either way.
inline constexpr std::int64_t kMaxClockSkewSeconds = 15 * 60;

// Errors are DynamoDB's, with its messages where they are known.
Result<Identity> verify_sigv4(
    const SignedRequest& request, const Credentials& credentials, const SigV4Policy& policy
);

// The two headers that a client adds to a request to sign it.
struct SigV4Headers {
    std::string amz_date;       // X-Amz-Date
    std::string authorization;  // Authorization
};

// Covers the body and every header of `request` but those that proxies rewrite. The request has
// a Host header; an X-Amz-Date or Authorization it has already is passed over, for these replace
// it. An X-Amz-Content-Sha256 header is taken at its word.
SigV4Headers sign_sigv4(
    const SignedRequest& request,
    std::string_view access_key_id,
    std::string_view secret_access_key,
    std::string_view region,
    std::string_view service,
    std::int64_t now_seconds
);
// The same with a key derived before; `scope.date` must be the day of `now_seconds`.
SigV4Headers sign_sigv4(
    const SignedRequest& request,
    std::string_view access_key_id,
    const HmacKey& signing_key,
    const SigningScope& scope,
    std::int64_t now_seconds
);

}  // namespace gateleg::auth

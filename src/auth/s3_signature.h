// SigV4 as S3 uses it: in the Authorization header or in the query of a presigned URL, with bodies
// that are hashed, unsigned, or signed chunk by chunk. URLs may also be of Signature Version 2.
//
// Unlike auth/sigv4.h this decides before the body is there; what the body must be is in the
// result. Errors are those of s3_error.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "auth/canonical_request.h"
#include "auth/credentials.h"
#include "auth/sigv4.h"
#include "base/result.h"
#include "base/sha256.h"

namespace gateleg::auth {

// What x-amz-content-sha256 promises of the body.
enum class PayloadForm : std::uint8_t {
    kHashed,                 // its SHA-256, in S3Signature::payload_sha256
    kUnsigned,               // UNSIGNED-PAYLOAD
    kSignedChunks,           // STREAMING-AWS4-HMAC-SHA256-PAYLOAD
    kSignedChunksTrailer,    // STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER
    kUnsignedChunksTrailer,  // STREAMING-UNSIGNED-PAYLOAD-TRAILER
};

// What the signatures of chunks are made with; each covers the one before.
struct ChunkSigner {
    HmacKey key;
    std::string amz_date;
    std::string scope;
    std::string seed;  // the request's own signature, in hexadecimal
};

struct S3Signature {
    Identity identity;  // of an accepted but unknown key: its access key id alone
    bool presigned = false;
    bool anonymous = false;  // no signature at all
    PayloadForm payload = PayloadForm::kUnsigned;
    std::optional<Sha256Digest> payload_sha256;
    // Empty for keys that are not verified: their chunks are not either.
    std::optional<ChunkSigner> chunks;
};

// A key beside those of the credentials file; always verified.
struct OwnCredential {
    std::string_view access_key_id;
    std::string_view secret_access_key;
};

// Built for each call.
struct S3Policy {
    // Null: any key but `own` is accepted unverified. Expiry of presigned URLs still counts.
    const Credentials* credentials = nullptr;
    OwnCredential own;
    bool allow_anonymous = false;
    std::string_view region = "us-east-1";
    // The bucket, if the Host names it and the path does not; only Signature Version 2 asks.
    std::string_view host_bucket;
    // Dates in headers go by the real clock, presigned URLs by the one in force.
    std::int64_t real_seconds = 0;
    std::int64_t now_seconds = 0;
};

inline constexpr std::int64_t kMaxPresignedSeconds = std::int64_t{7} * 24 * 3600;

// The body of `request` is not looked at.
Result<S3Signature> verify_s3(const SignedRequest& request, const S3Policy& policy);

}  // namespace gateleg::auth

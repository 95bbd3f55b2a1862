// The key that signs requests for one day, region and service; derived from a secret key.

#pragma once

#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/sha256.h"

namespace gateleg::auth {

inline constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
inline constexpr std::string_view kScopeTerminator = "aws4_request";

struct SigningScope {
    std::string_view date;  // YYYYMMDD
    std::string_view region;
    std::string_view service;
};

// "20150830/us-east-1/dynamodb/aws4_request"
std::string render_scope(const SigningScope& scope);

HmacKey derive_signing_key(std::string_view secret_access_key, const SigningScope& scope);

// The text whose HMAC is the signature.
std::string string_to_sign(
    std::string_view amz_date, const SigningScope& scope, std::string_view canonical_request
);

// Derived keys by access key and scope, since deriving one costs more than a signature.
// Thread-safe. One access key must always come with the same secret.
class SigningKeyCache {
public:
    HmacKey get(
        std::string_view access_key_id,
        std::string_view secret_access_key,
        const SigningScope& scope
    );

private:
    // Two days per key are in use around midnight; a full cache starts again from empty.
    static constexpr std::size_t kMaxEntries = 4096;

    std::shared_mutex mutex_;
    std::unordered_map<std::string, HmacKey> keys_;
};

}  // namespace gateleg::auth

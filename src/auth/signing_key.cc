#include "auth/signing_key.h"

#include <mutex>
#include <utility>

namespace gateleg::auth {
namespace {

void append_scope(std::string& out, const SigningScope& scope) {
    out.append(scope.date).append("/").append(scope.region).append("/");
    out.append(scope.service).append("/").append(kScopeTerminator);
}

}  // namespace

std::string render_scope(const SigningScope& scope) {
    std::string text;
    append_scope(text, scope);
    return text;
}

HmacKey derive_signing_key(std::string_view secret_access_key, const SigningScope& scope) {
    std::string seed = "AWS4";
    seed.append(secret_access_key);
    const HmacKey date_key(HmacKey(seed).sign(scope.date));
    const HmacKey region_key(date_key.sign(scope.region));
    const HmacKey service_key(region_key.sign(scope.service));
    return HmacKey(service_key.sign(kScopeTerminator));
}

std::string string_to_sign(
    std::string_view amz_date, const SigningScope& scope, std::string_view canonical_request
) {
    std::string text;
    text.reserve(192);
    text.append(kAlgorithm).append("\n").append(amz_date).append("\n");
    append_scope(text, scope);
    text.push_back('\n');
    append_hex(text, sha256(canonical_request));
    return text;
}

HmacKey SigningKeyCache::get(
    std::string_view access_key_id, std::string_view secret_access_key, const SigningScope& scope
) {
    std::string name;
    name.reserve(96);
    name.append(access_key_id).append("/");
    append_scope(name, scope);
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = keys_.find(name); found != keys_.end()) {
            return found->second;
        }
    }
    const auto key = derive_signing_key(secret_access_key, scope);
    const std::unique_lock lock(mutex_);
    if (keys_.size() >= kMaxEntries) {
        keys_.clear();
    }
    keys_.emplace(std::move(name), key);
    return key;
}

}  // namespace gateleg::auth

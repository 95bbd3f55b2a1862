// The access keys this server accepts, from a file in the form of ~/.aws/credentials.
//
//     [app]
//     aws_access_key_id = AKIAEXAMPLE
//     aws_secret_access_key = ...
//     gateleg_scope = ...            (optional; auth/scope.h has the language)

#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/scope.h"
#include "auth/signing_key.h"
#include "base/result.h"
#include "base/sha256.h"

namespace gateleg::auth {

struct Credential {
    std::string profile;
    std::string access_key_id;
    std::string secret_access_key;
    std::shared_ptr<const Scope> scope = Scope::full();
    std::int64_t expires_seconds = 0;  // since the epoch; 0: never
    // When it last signed a request, about; shared by the copies of a credential.
    std::shared_ptr<std::atomic<std::int64_t>> used =
        std::make_shared<std::atomic<std::int64_t>>(0);

    void note_use(std::int64_t now_seconds) const {
        if (used->load(std::memory_order_relaxed) < now_seconds) {
            used->store(now_seconds, std::memory_order_relaxed);
        }
    }
};

// Immutable but for its cache of signing keys; thread-safe.
class Credentials {
public:
    // Errors name the file and line. A file that others may read is reported in the log.
    static Result<Credentials> load(const std::filesystem::path& file);
    // `source` stands for the file name in errors.
    static Result<Credentials> parse(std::string_view text, std::string_view source);

    explicit Credentials(std::vector<Credential> credentials);

    // Null if no profile has this key, or if it has ended by then.
    const Credential* find(std::string_view access_key_id, std::int64_t now_seconds) const;
    std::size_t size() const { return by_access_key_.size(); }
    // By profile; for showing ids, never secrets.
    std::vector<Credential> list() const;

    HmacKey signing_key(const Credential& credential, const SigningScope& scope) const;
    // Signs for access keys nobody has, so that they take as long as a wrong secret.
    const HmacKey& decoy_key() const { return decoy_key_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    using CredentialMap = std::unordered_map<std::string, Credential, Hash, std::equal_to<>>;

    CredentialMap by_access_key_;
    std::unique_ptr<SigningKeyCache> signing_keys_;
    HmacKey decoy_key_;
};

}  // namespace gateleg::auth

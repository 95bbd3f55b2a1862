// JSON Web Tokens as proof of who calls: HS256 with a shared secret, RS256 and ES256 with public
// keys.
//
// The algorithm is chosen by the kind of key that is configured, never by the token alone: a token
// signed HS256 is only ever checked against the secret, so a public key cannot pass for one.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gateleg::auth {

// Who a valid token speaks for.
struct TokenClaims {
    std::string subject;
    std::vector<std::string> roles;
};

// Immutable once made, so any thread may verify with it.
class JwtVerifier {
public:
    // Accepts nothing.
    JwtVerifier();
    ~JwtVerifier();
    JwtVerifier(JwtVerifier&&) noexcept;
    JwtVerifier& operator=(JwtVerifier&&) noexcept;

    // HS256 is accepted from here on. Fails if the secret is empty.
    Result<void> use_secret(std::string_view secret);
    // RS256 and ES256 are accepted from here on, with the keys of a JWK set (RFC 7517). Fails,
    // saying which key and why, when one of them cannot be used.
    Result<void> use_key_set(std::string_view json);
    Result<void> use_key_set_file(const std::filesystem::path& path);

    bool accepts_any() const;

    // Fails with kUnrecognizedClient. Only a token that is genuine is told what else it lacks; all
    // others get the same sentence.
    Result<TokenClaims> verify(std::string_view token, std::int64_t now_seconds) const;

    // The claims of a genuine token, as JSON, for those who judge them by rules of their own.
    // Nothing of them is checked here, the expiry neither.
    Result<std::string> genuine_claims(std::string_view token) const;

private:
    struct Keys;
    std::unique_ptr<Keys> keys_;
};

// A token for tests and demonstrations.
std::string make_hs256(
    std::string_view secret,
    std::string_view subject,
    const std::vector<std::string>& roles,
    std::int64_t expires_seconds
);

// Base64 in the alphabet for URLs and without padding (RFC 4648 section 5), as tokens use it.
std::string encode_base64url(std::string_view bytes);
// Nothing unless `text` is exactly what encode_base64url() would give.
std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace gateleg::auth

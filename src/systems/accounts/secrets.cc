#include "systems/accounts/secrets.h"

#include <openssl/rand.h>

#include "auth/jwt.h"
#include "base/check.h"
#include "systems/session_source.h"

namespace gateleg::systems {
namespace {

constexpr std::size_t kPrefixBytes = 3;  // "ff_"
constexpr std::size_t kSessionIdBytes = 26;
constexpr std::size_t kMaxTokenBytes = 200;
constexpr std::size_t kNonceBytes = 24;
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kSignatureBytes = 16;

std::string encode_time(std::int64_t millis) {
    std::string bytes(kTimeBytes, '\0');
    auto rest = static_cast<std::uint64_t>(millis);
    for (std::size_t i = kTimeBytes; i-- > 0;) {
        bytes[i] = static_cast<char>(rest & 0xFFU);
        rest >>= 8U;
    }
    return bytes;
}

std::int64_t decode_time(std::string_view bytes) {
    std::uint64_t millis = 0;
    for (const char c : bytes) {
        millis = millis << 8U | static_cast<unsigned char>(c);
    }
    return static_cast<std::int64_t>(millis);
}

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    GATELEG_CHECK(
        RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) == 1
    );
    return bytes;
}

std::string random_text(std::size_t bytes) {
    return auth::encode_base64url(random_bytes(bytes));
}

std::string hash_secret(std::string_view secret) {
    return to_hex(sha256(secret));
}

bool is_secret_of(std::string_view secret, std::string_view stored_hash) {
    const auto stored = parse_hex_digest(stored_hash);
    return stored && equal_in_constant_time(*stored, sha256(secret));
}

std::string render_session_token(const SessionToken& token) {
    return token.prefix + "_" + token.session_id + token.secret;
}

std::optional<SessionToken> parse_session_token(std::string_view text) {
    if (text.size() <= kPrefixBytes + kSessionIdBytes || text.size() > kMaxTokenBytes ||
        text[kPrefixBytes - 1] != '_') {
        return std::nullopt;
    }
    return SessionToken{
        std::string(text.substr(0, kPrefixBytes - 1)),
        std::string(text.substr(kPrefixBytes, kSessionIdBytes)),
        std::string(text.substr(kPrefixBytes + kSessionIdBytes))};
}

std::string token_of(const model::RequestFacts& request) {
    constexpr std::string_view kScheme = "bearer ";
    const auto header = request.header("Authorization");
    if (!header.empty()) {
        return header.size() > kScheme.size() ? std::string(header.substr(kScheme.size())) : "";
    }
    const auto cookies = request.header("Cookie");
    const auto name = std::string(kSessionCookie) + "=";
    for (std::size_t at = 0; at < cookies.size();) {
        const auto end = std::min(cookies.find(';', at), cookies.size());
        auto pair = cookies.substr(at, end - at);
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (pair.starts_with(name)) {
            return std::string(pair.substr(name.size()));
        }
        at = end + 1;
    }
    return {};
}

MailedTokens::MailedTokens(std::string_view server_secret)
    : key_(HmacKey(server_secret).sign("mailed tokens")) {}

std::string MailedTokens::sign(std::string_view purpose, std::string_view body) const {
    const auto digest = key_.sign(std::string(purpose) + "\n" + std::string(body));
    return {digest.begin(), digest.begin() + kSignatureBytes};
}

MailedTokens::Made MailedTokens::make(std::string_view purpose, std::int64_t expires_millis) const {
    const auto body = encode_time(expires_millis) + random_bytes(kNonceBytes);
    auto text = auth::encode_base64url(body + sign(purpose, body));
    auto hash = hash_secret(text);
    return {std::move(text), std::move(hash), expires_millis};
}

MailedTokens::State MailedTokens::check(
    std::string_view purpose, std::string_view text, std::int64_t now_millis
) const {
    const auto bytes = auth::decode_base64url(text);
    constexpr auto kBodyBytes = kTimeBytes + kNonceBytes;
    if (!bytes || bytes->size() != kBodyBytes + kSignatureBytes) {
        return State::kUnknown;
    }
    const auto body = std::string_view(*bytes).substr(0, kBodyBytes);
    const auto given = std::string_view(*bytes).substr(kBodyBytes);
    // Comparing hashes takes the same time whatever the bytes are.
    if (!equal_in_constant_time(sha256(sign(purpose, body)), sha256(given))) {
        return State::kUnknown;
    }
    return decode_time(body.substr(0, kTimeBytes)) > now_millis ? State::kLive : State::kExpired;
}

}  // namespace gateleg::systems

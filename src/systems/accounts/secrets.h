// The secrets that accounts hand out: tokens of sessions, and tokens that are mailed.
//
// Only hashes of them are stored, so that whoever reads the table cannot act as a user.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "model/call.h"

namespace gateleg::systems {

// From the system's source; ends the process if there are none.
std::string random_bytes(std::size_t count);
// The same as text of A-Z a-z 0-9 - _.
std::string random_text(std::size_t bytes);

// What is stored of a secret: secrets are long and random, so a plain hash is enough.
std::string hash_secret(std::string_view secret);
bool is_secret_of(std::string_view secret, std::string_view stored_hash);

// "ff_" + the session's id (26 characters) + its secret.
struct SessionToken {
    std::string prefix;
    std::string session_id;
    std::string secret;
};
std::string render_session_token(const SessionToken& token);
std::optional<SessionToken> parse_session_token(std::string_view text);
// The token that came with the request, in the header or in the cookie; empty if there is none.
std::string token_of(const model::RequestFacts& request);

// Tokens that are mailed. The time of their end is part of them and signed, so that one that was
// used can be told from one that has expired and from one that never was, long after its item is
// gone.
class MailedTokens {
public:
    explicit MailedTokens(std::string_view server_secret);

    struct Made {
        std::string text;  // to be mailed
        std::string hash;  // to be stored
        std::int64_t expires_millis = 0;
    };
    // `purpose` keeps a token of one kind from passing for one of another.
    Made make(std::string_view purpose, std::int64_t expires_millis) const;

    enum class State : std::uint8_t { kUnknown, kExpired, kLive };
    State check(std::string_view purpose, std::string_view text, std::int64_t now_millis) const;

private:
    std::string sign(std::string_view purpose, std::string_view body) const;
    HmacKey key_;
};

}  // namespace gateleg::systems

// Texts that a client holds between its calls: cursors, iterators of shards, tokens of pages and of
// identity. Whatever comes back is one that was given out, or an error; the first byte chooses.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/jwt.h"
#include "base/base64.h"
#include "base/check.h"
#include "engine/shard_iterator.h"
#include "model/cursor.h"
#include "partiql/next_token.h"
#include "value/attribute_value.h"

namespace {

void read_cursor(std::string_view text) {
    static const gateleg::HmacKey key("not-in-the-corpus");
    // Nobody can make one without the key.
    GATELEG_CHECK(!gateleg::model::parse_cursor(key, "binding", text));
    // No key is longer.
    text = text.substr(0, 2048);
    gateleg::model::CursorPosition position{.group = text.size() % 7};
    position.after.emplace_back();
    position.after.push_back(gateleg::value::Item{{"pk", {std::string(text)}}});
    const auto given = gateleg::model::render_cursor(key, text, position);
    const auto read = gateleg::model::parse_cursor(key, text, given);
    GATELEG_CHECK(read && read->group == position.group && read->after == position.after);
    GATELEG_CHECK(!gateleg::model::parse_cursor(key, "another binding than any input", given));
    if (!given.empty()) {
        auto bent = given;
        auto& letter = bent[text.size() % bent.size()];
        letter = letter == 'A' ? 'B' : 'A';
        if (bent != given) {
            const auto other = gateleg::model::parse_cursor(key, text, bent);
            // Base64 has a letter at the end of which some bits do not count.
            GATELEG_CHECK(!other || other->after == position.after);
        }
    }
}

void read_iterator(std::string_view text) {
    const gateleg::engine::ShardIterator made{
        .stream_arn = std::string(text),
        .shard = 3,
        .position = text.size(),
        .may_skip = text.size() % 2 == 0,
        .issued_millis = 1'750'000'000'000};
    auto given = gateleg::engine::encode_iterator(made);
    const auto read_back = gateleg::engine::decode_iterator(given);
    // A name may have the mark between name and place in it; then nothing is read.
    GATELEG_CHECK(!read_back || read_back->position == made.position);
    given[text.size() + 4] = given[text.size() + 4] == 'A' ? 'B' : 'A';
    GATELEG_CHECK(!gateleg::engine::decode_iterator(given));
    if (const auto read = gateleg::engine::decode_iterator(text)) {
        const auto again =
            gateleg::engine::decode_iterator(gateleg::engine::encode_iterator(*read));
        GATELEG_CHECK(again && again->stream_arn == read->stream_arn);
        GATELEG_CHECK(again->shard == read->shard && again->position == read->position);
        GATELEG_CHECK(again->may_skip == read->may_skip);
        GATELEG_CHECK(again->issued_millis == read->issued_millis);
    }
}

void read_next_token(std::string_view text) {
    constexpr std::uint64_t kRequest = 0x1234567890abcdef;
    if (const auto read = gateleg::partiql::decode_next_token(text, kRequest)) {
        const auto given = gateleg::partiql::encode_next_token(*read, kRequest);
        const auto again = gateleg::partiql::decode_next_token(given, kRequest);
        GATELEG_CHECK(again && again->range == read->range);
        GATELEG_CHECK(!gateleg::partiql::decode_next_token(given, kRequest + 1));
    }
}

constexpr std::int64_t kNow = 1'750'000'000;
constexpr std::string_view kSecret = "a secret of thirty-two bytes, or more";

const gateleg::auth::JwtVerifier& verifier() {
    static const auto kVerifier = [] {
        gateleg::auth::JwtVerifier made;
        GATELEG_CHECK(made.use_secret(kSecret).has_value());
        return made;
    }();
    return kVerifier;
}

void read_jwt(std::string_view text) {
    GATELEG_CHECK(!verifier().verify(text, kNow));
}

// Header and claims, a line each, rightly signed: what is believed is believed twice, and not
// for ever.
void read_claims(std::string_view text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto body = text.substr(std::min(text.size(), end + 1));
    auto token = gateleg::auth::encode_base64url(text.substr(0, end)) + "." +
                 gateleg::auth::encode_base64url(body);
    const auto digest = gateleg::HmacKey(kSecret).sign(token);
    token += "." + gateleg::auth::encode_base64url(std::string(digest.begin(), digest.end()));
    const auto claims = verifier().verify(token, kNow);
    if (!claims) {
        return;
    }
    const auto again = verifier().verify(token, kNow);
    GATELEG_CHECK(again && again->subject == claims->subject && again->roles == claims->roles);
    GATELEG_CHECK(claims->subject.find('#') == std::string::npos);
    constexpr std::int64_t kNever = 2'000'000'000'000'000;
    GATELEG_CHECK(!verifier().verify(token, kNever));
    token.back() = token.back() == 'A' ? 'Q' : 'A';
    GATELEG_CHECK(!verifier().verify(token, kNow));
}

// A set of public keys in the first line, and a token that may be signed by one of them.
void read_key_set(std::string_view text) {
    const auto end = std::min(text.find('\n'), text.size());
    gateleg::auth::JwtVerifier of_keys;
    GATELEG_CHECK(!of_keys.accepts_any());
    if (of_keys.use_key_set(text.substr(0, end))) {
        GATELEG_CHECK(of_keys.accepts_any());
        (void)of_keys.verify(text.substr(std::min(text.size(), end + 1)), kNow);
        // A secret is not a public key.
        GATELEG_CHECK(!of_keys.verify(gateleg::auth::make_hs256("", "me", {"user"}, kNow + 9), kNow)
        );
    }
}

// What a page of PartiQL says of the next, before it becomes base64.
void read_plain_next_token(std::string_view text) {
    read_next_token(gateleg::encode_base64(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 7) {
        case 0:
            read_cursor(text);
            break;
        case 1:
            read_iterator(text);
            break;
        case 2:
            read_next_token(text);
            break;
        case 3:
            read_jwt(text);
            break;
        case 4:
            read_claims(text);
            break;
        case 5:
            read_key_set(text);
            break;
        default:
            read_plain_next_token(text);
    }
    return 0;
}

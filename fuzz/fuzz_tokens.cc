// Texts that a client holds between its calls: cursors, iterators of shards, tokens of pages and of
// identity. Whatever comes back is one that was given out, or an error; the first byte chooses.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/jwt.h"
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

void read_jwt(std::string_view text) {
    static const auto verifier = [] {
        gateleg::auth::JwtVerifier made;
        GATELEG_CHECK(made.use_secret("a secret of thirty-two bytes, or more").has_value());
        return made;
    }();
    constexpr std::int64_t kNow = 1'750'000'000;
    GATELEG_CHECK(!verifier.verify(text, kNow));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 4) {
        case 0:
            read_cursor(text);
            break;
        case 1:
            read_iterator(text);
            break;
        case 2:
            read_next_token(text);
            break;
        default:
            read_jwt(text);
    }
    return 0;
}

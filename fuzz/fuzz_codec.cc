// Items and keys made from bytes: encoded, decoded and compared; keys sort as their values do.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "value/attribute_value.h"
#include "value/item_size.h"
#include "value/json_codec.h"
#include "value/key_codec.h"

namespace {

namespace value = gateleg::value;

class Source {
public:
    Source(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}
    unsigned byte() {
        if (rest_.empty()) {
            return 0;
        }
        const auto first = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return first;
    }
    std::string bytes() {
        const auto piece = rest_.substr(0, std::min<std::size_t>(rest_.size(), byte() % 40));
        rest_.remove_prefix(std::min(rest_.size(), piece.size()));
        return std::string(piece);
    }
    // ASCII, with the characters that JSON escapes.
    std::string text() {
        auto letters = bytes();
        for (auto& each : letters) {
            each = static_cast<char>(each & 0x7f);
        }
        return letters;
    }
    bool empty() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

value::Number number(Source& source) {
    std::string text = source.byte() % 2 == 0 ? "-" : "";
    const auto digits = 1 + source.byte() % 38;
    for (unsigned i = 0; i < digits; ++i) {
        text.push_back(static_cast<char>('0' + source.byte() % 10));
    }
    text += "E" + std::to_string(static_cast<int>(source.byte()) - 128);
    const auto parsed = value::Number::parse(text);
    return parsed ? *parsed : *value::Number::parse("0");
}

value::AttributeValue make(Source& source, int depth) {
    switch (source.byte() % (depth > 6 ? 5 : 10)) {
        case 0:
            return {source.text()};
        case 1:
            return {number(source)};
        case 2:
            return {value::Binary{source.bytes()}};
        case 3:
            return {source.byte() % 2 == 0};
        case 4:
            return {value::Null{}};
        case 5: {
            value::List list;
            for (auto count = source.byte() % 5; count > 0; --count) {
                list.push_back(make(source, depth + 1));
            }
            return {std::move(list)};
        }
        case 6: {
            value::Map map;
            for (auto count = source.byte() % 5; count > 0; --count) {
                map[source.text()] = make(source, depth + 1);
            }
            return {std::move(map)};
        }
        case 7:
            return {value::StringSet{source.text() + "a", source.text() + "b"}};
        case 8:
            return {value::NumberSet{number(source), number(source)}};
        default:
            return {value::BinarySet{{source.bytes() + "a"}, {source.bytes() + "b"}}};
    }
}

std::string key_of(const value::AttributeValue& attribute) {
    const auto bytes = value::encode(attribute);
    std::string key;
    value::append_key(key, value::ValueView(bytes.data()));
    return key;
}

void expect_key_is_kept(const value::AttributeValue& attribute) {
    const auto key = key_of(attribute) + "behind";
    std::string_view rest = key;
    std::string decoded;
    value::decode_key(decoded, attribute.type(), rest);
    GATELEG_CHECK(rest == "behind");
    GATELEG_CHECK(decoded == value::encode(attribute));
}

template <class Left, class Right>
void expect_same_order(const Left& left, const Right& right) {
    const auto keys = key_of({left}) <=> key_of({right});
    const bool less = left < right;
    const bool more = right < left;
    GATELEG_CHECK((keys < 0) == less && (keys > 0) == more);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Source source(data, size);
    value::Item item;
    for (auto count = source.byte() % 6; count > 0; --count) {
        auto name = source.text();
        item[name] = make(source, 0);
    }
    const auto encoded = value::encode_item(item);
    GATELEG_CHECK(encoded.view().bytes() == encoded.bytes());
    GATELEG_CHECK(value::decode_item(encoded.view()) == item);
    value::item_size(encoded.view());
    for (const auto& [name, attribute] : item) {
        const auto found = encoded.view().find(name);
        GATELEG_CHECK(found && found->bytes() == value::encode(attribute));
    }
    GATELEG_CHECK(!encoded.view().find("no such name, for it is longer than any that is made here")
    );

    const auto first = number(source);
    const auto second = number(source);
    expect_key_is_kept({first});
    expect_key_is_kept({second});
    expect_same_order(first, second);
    const auto left = source.bytes();
    const auto right = source.bytes();
    expect_key_is_kept({value::Binary{left}});
    expect_same_order(value::Binary{left}, value::Binary{right});
    expect_same_order(source.text(), source.text());
    return 0;
}

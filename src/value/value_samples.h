// What the property tests of this folder draw from.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include "value/attribute_value.h"

namespace gateleg::value::samples {

// Bytes with many zeros, 0x01 and 0xff among them: what the key encoding treats specially.
inline rc::Gen<std::string> bytes() {
    return rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::element('\0', '\x01', '\xff', 'a'), rc::gen::arbitrary<char>())
    );
}

// Text that is valid UTF-8, with characters that JSON escapes.
inline rc::Gen<std::string> text() {
    return rc::gen::map(
        rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
            "a",
            "b",
            "Z",
            " ",
            "\"",
            "\\",
            "\n",
            "\x01",
            "/",
            "\x7f",
            "\u00e4",
            "\u20ac",
            "\U0001f600",
            std::string(1, '\0')
        )),
        [](const std::vector<std::string>& parts) {
            std::string joined;
            for (const auto& part : parts) {
                joined += part;
            }
            return joined;
        }
    );
}

// A number as text: sign, 1 to 38 digits without zeros at the ends, and an exponent that keeps it
// in DynamoDB's range. Small exponents are the likely ones, so that numbers meet.
inline rc::Gen<std::string> number_text() {
    return rc::gen::exec([] {
        const auto length =
            *rc::gen::weightedOneOf<int>({{3, rc::gen::inRange(1, 4)}, {1, rc::gen::inRange(1, 39)}}
            );
        std::string digits = *rc::gen::container<std::string>(
            static_cast<std::size_t>(length), rc::gen::element('0', '1', '5', '8', '9')
        );
        digits.front() = *rc::gen::element('1', '2', '9');
        digits.back() = *rc::gen::element('1', '5', '9');
        const auto magnitude = *rc::gen::weightedOneOf<int>(
            {{3, rc::gen::inRange(-4, 5)}, {1, rc::gen::inRange(-130, 126)}}
        );
        const auto sign = *rc::gen::element<std::string>("", "-");
        return sign + digits + "e" + std::to_string(magnitude - length + 1);
    });
}

inline rc::Gen<Number> number() {
    return rc::gen::weightedOneOf<Number>(
        {{1, rc::gen::just(Number())},
         {9,
          rc::gen::map(
              number_text(), [](const std::string& text) { return *Number::parse(text); }
          )}}
    );
}

inline rc::Gen<Binary> binary() {
    return rc::gen::map(bytes(), [](std::string taken) { return Binary{std::move(taken)}; });
}

template <class Set, class Member>
rc::Gen<AttributeValue> set_of(const rc::Gen<Member>& member) {
    return rc::gen::map(
        rc::gen::nonEmpty(rc::gen::container<std::vector<Member>>(member)),
        [](const std::vector<Member>& members) {
            return AttributeValue{Set(members.begin(), members.end())};
        }
    );
}

// Any value with at most `depth` lists and maps around its parts.
inline rc::Gen<AttributeValue> value(int depth) {
    const auto to_value = [](auto&& part) { return AttributeValue{std::move(part)}; };
    switch (*rc::gen::inRange(0, depth > 0 ? 10 : 8)) {
        case 0:
            return rc::gen::map(text(), to_value);
        case 1:
            return rc::gen::map(number(), to_value);
        case 2:
            return rc::gen::map(binary(), to_value);
        case 3:
            return rc::gen::map(rc::gen::arbitrary<bool>(), to_value);
        case 4:
            return rc::gen::just(AttributeValue{Null{}});
        case 5:
            return set_of<StringSet>(text());
        case 6:
            return set_of<NumberSet>(number());
        case 7:
            return set_of<BinarySet>(binary());
        case 8:
            return rc::gen::exec([depth] {
                List list;
                for (auto left = *rc::gen::inRange(0, 4); left > 0; --left) {
                    list.push_back(*rc::gen::exec([depth] { return *value(depth - 1); }));
                }
                return AttributeValue{std::move(list)};
            });
        default:
            return rc::gen::exec([depth] {
                Map map;
                for (auto left = *rc::gen::inRange(0, 4); left > 0; --left) {
                    map[*text()] = *rc::gen::exec([depth] { return *value(depth - 1); });
                }
                return AttributeValue{std::move(map)};
            });
    }
}

inline rc::Gen<Item> item() {
    return rc::gen::exec([] {
        Item item;
        for (auto left = *rc::gen::inRange(0, 6); left > 0; --left) {
            item[*text()] = *rc::gen::exec([] { return *value(3); });
        }
        return item;
    });
}

}  // namespace gateleg::value::samples

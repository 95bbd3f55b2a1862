// The one way in which keys write a value: what key_template.cc makes and key_parse.cc takes apart.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "model/key_template.h"

namespace gateleg::model {

inline bool is_timestamp(KeyValueType::Kind kind) {
    return kind == KeyValueType::Kind::kTimestampMillis ||
           kind == KeyValueType::Kind::kTimestampSeconds;
}

// Digits where the shape has '0', its own characters elsewhere. A digit differs from '0' in less
// than ten, and nothing else does; so four or eight characters are compared at once.
inline bool has_time_shape(std::string_view text, std::string_view shape) {
    const auto fits = [&]<class Word>(Word, std::size_t at) {
        Word given = 0;
        Word wanted = 0;
        std::memcpy(&given, text.data() + at, sizeof given);
        std::memcpy(&wanted, shape.data() + at, sizeof wanted);
        constexpr auto kEach = static_cast<Word>(~Word{0} / 0xff);  // a one in each byte
        constexpr auto kHigh = static_cast<Word>(kEach * 0x80);
        const auto differs = static_cast<Word>(given ^ wanted);
        // 0x76 for a digit's place, where up to nine stay below 0x80, and 0x7f for any other.
        const auto other = static_cast<Word>(wanted ^ static_cast<Word>(kEach * 0x30));
        const auto is_other =
            static_cast<Word>(((other & static_cast<Word>(~kHigh)) + kEach * 0x7f) & kHigh);
        const auto limit = static_cast<Word>(kEach * 0x76 + (is_other >> 7) * 9);
        return (((differs & static_cast<Word>(~kHigh)) + limit) & kHigh) == 0 &&
               (differs & kHigh) == 0;
    };
    std::size_t at = 0;
    for (; at + 8 <= shape.size(); at += 8) {
        if (!fits(std::uint64_t{}, at)) {
            return false;
        }
    }
    return at == shape.size() ||
           (shape.size() < 8 ? fits(std::uint32_t{}, 0) : fits(std::uint64_t{}, shape.size() - 8));
}

// With milliseconds or whole seconds as its type says: of all spellings of a time that one alone
// has this shape. Every key of a list is asked, so no time is made of it.
inline bool is_written_time(const KeyVariable& variable, std::string_view text) {
    const bool seconds = variable.type.kind == KeyValueType::Kind::kTimestampSeconds;
    constexpr std::string_view kShape = "0000-00-00T00:00:00";
    if (text.size() != kShape.size() + (seconds ? 1 : 5) || text.back() != 'Z' ||
        (!seconds && !has_time_shape(text.substr(kShape.size(), 4), ".000")) ||
        !has_time_shape(text.substr(0, kShape.size()), kShape)) {
        return false;
    }
    const auto two = [&](std::size_t at) {
        return static_cast<unsigned>((text[at] - '0') * 10 + (text[at + 1] - '0'));
    };
    const std::chrono::year_month_day date(
        std::chrono::year(static_cast<int>(two(0) * 100 + two(2))),
        std::chrono::month(two(5)),
        std::chrono::day(two(8))
    );
    return date.ok() && two(11) <= 23 && two(14) <= 59 && two(17) <= 59;
}

// Of an enum.
inline bool is_one_of_its_values(const KeyVariable& variable, std::string_view text) {
    const auto& values = variable.type.values;
    return values.empty() || std::find(values.begin(), values.end(), text) != values.end();
}

}  // namespace gateleg::model

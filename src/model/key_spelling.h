// The one way in which keys write a value: what key_template.cc makes and key_parse.cc takes apart.

#pragma once

#include <algorithm>
#include <chrono>
#include <string_view>

#include "model/key_template.h"

namespace gateleg::model {

inline bool is_timestamp(KeyValueType::Kind kind) {
    return kind == KeyValueType::Kind::kTimestampMillis ||
           kind == KeyValueType::Kind::kTimestampSeconds;
}

// With milliseconds or whole seconds as its type says: of all spellings of a time that one alone
// has this shape. Every key of a list is asked, so no time is made of it.
inline bool is_written_time(const KeyVariable& variable, std::string_view text) {
    constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd";
    const bool seconds = variable.type.kind == KeyValueType::Kind::kTimestampSeconds;
    const std::string_view end = seconds ? "Z" : ".dddZ";
    if (text.size() != kShape.size() + end.size()) {
        return false;
    }
    const auto has_shape = [](std::string_view part, std::string_view shape) {
        for (std::size_t at = 0; at < shape.size(); ++at) {
            const bool is_digit = part[at] >= '0' && part[at] <= '9';
            if (shape[at] == 'd' ? !is_digit : part[at] != shape[at]) {
                return false;
            }
        }
        return true;
    };
    if (!has_shape(text, kShape) || !has_shape(text.substr(kShape.size()), end)) {
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

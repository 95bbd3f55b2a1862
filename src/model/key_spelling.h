// The one way in which keys write a value: what key_template.cc makes and key_parse.cc takes apart.

#pragma once

#include <algorithm>
#include <string_view>

#include "base/time_text.h"
#include "model/key_template.h"

namespace gateleg::model {

inline bool is_timestamp(KeyValueType::Kind kind) {
    return kind == KeyValueType::Kind::kTimestampMillis ||
           kind == KeyValueType::Kind::kTimestampSeconds;
}

// With milliseconds or whole seconds as its type says: of all spellings of a time that one alone
// has this shape.
inline bool is_written_time(const KeyVariable& variable, std::string_view text) {
    constexpr std::size_t kSeconds = std::string_view("2025-03-01T10:20:30").size();
    const bool seconds = variable.type.kind == KeyValueType::Kind::kTimestampSeconds;
    const auto size = kSeconds + (seconds ? 1 : 5);
    return text.size() == size && text[10] == 'T' && (seconds || text[kSeconds] == '.') &&
           text.back() == 'Z' && parse_rfc3339_millis(text).has_value();
}

// Of an enum.
inline bool is_one_of_its_values(const KeyVariable& variable, std::string_view text) {
    const auto& values = variable.type.values;
    return values.empty() || std::find(values.begin(), values.end(), text) != values.end();
}

}  // namespace gateleg::model

#include "model/key_parse.h"

#include <algorithm>

#include "model/key_spelling.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;
using Kind = KeyValueType::Kind;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// How many characters render_date() writes for what stands at `at`, and moves behind it.
std::size_t date_part_width(std::string_view format, std::size_t& at) {
    if (format[at] != '%' || at + 1 == format.size()) {
        ++at;
        return 1;
    }
    at += 2;
    return format[at - 1] == 'Y' ? 4 : 2;
}

std::size_t date_width(std::string_view format) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < format.size();) {
        width += date_part_width(format, at);
    }
    return width;
}

// A lossy variable is compared by its shape only: each date part is digits.
bool looks_like_date(std::string_view text, std::string_view format) {
    for (std::size_t at = 0; at < format.size();) {
        const char literal = format[at];
        const bool is_part = literal == '%' && at + 1 < format.size();
        const auto width = date_part_width(format, at);
        if (text.size() < width) {
            return false;
        }
        const auto piece = text.substr(0, width);
        if (is_part || is_digit(literal) ? !is_digits(piece) : piece.front() != literal) {
            return false;
        }
        text.remove_prefix(width);
    }
    return text.empty();
}

std::optional<std::size_t> fixed_width(const KeyVariable& variable) {
    if (const auto* date = std::get_if<DateFormat>(&variable.format)) {
        return date_width(date->text);
    }
    if (const auto* number = std::get_if<NumberFormat>(&variable.format)) {
        return static_cast<std::size_t>(number->width);
    }
    return std::nullopt;
}

bool is_padded_number(std::string_view text, const NumberFormat& format) {
    constexpr std::size_t kMaxDigits = 38;
    if (format.decimals == 0 && text.size() <= kMaxDigits) {
        return is_digits(text);  // its width was looked at
    }
    const auto number = Number::parse(text);
    const auto again = number ? render_number(*number, format) : number.error();
    return again && text == *again;
}

bool is_plain_number(std::string_view text) {
    if (value::is_short_canonical_number(text)) {
        return true;
    }
    const auto number = Number::parse(text);
    return number && text == number->to_text();
}

// The text can be a value of the variable.
bool fits_variable(const KeyVariable& variable, std::string_view text) {
    if (const auto* date = std::get_if<DateFormat>(&variable.format)) {
        return looks_like_date(text, date->text);
    }
    if (const auto* format = std::get_if<NumberFormat>(&variable.format)) {
        return is_padded_number(text, *format);
    }
    const auto& type = variable.type;
    switch (type.kind) {
        case Kind::kBoolean:
            return type.true_text.empty() ? text == "true" || text == "false"
                                          : text == type.true_text || text == type.false_text;
        case Kind::kNumber:
        case Kind::kEpochSeconds:
        case Kind::kEpochMillis:
            return is_plain_number(text);
        case Kind::kShard:
            return text.empty() || (text[0] == '#' && is_digits(text.substr(1)));
        case Kind::kText:
        case Kind::kTimestampMillis:
        case Kind::kTimestampSeconds:
            break;
    }
    return !text.empty() && (!is_timestamp(type.kind) || is_written_time(variable, text)) &&
           is_one_of_its_values(variable, text);
}

// Where the variable at that place ends in `key`; behind its end if it does not end in it.
std::size_t piece_length(const KeyTemplate& made_by, std::size_t place, std::string_view key) {
    if (const auto width = fixed_width(std::get<KeyVariable>(made_by.segments()[place]))) {
        return *width;
    }
    const auto end = made_by.terminator(place);
    return end.empty() ? key.size() : key.find(end);
}

// Walks along the key; `visit(variable, text)` says whether to go on. True at the end of both.
template <class Visit>
bool walk(const KeyTemplate& made_by, std::string_view key, const Visit& visit) {
    const auto& segments = made_by.segments();
    for (std::size_t at = 0; at < segments.size(); ++at) {
        if (const auto* literal = std::get_if<std::string>(&segments[at])) {
            if (!key.starts_with(*literal)) {
                return false;
            }
            key.remove_prefix(literal->size());
            continue;
        }
        const auto length = piece_length(made_by, at, key);
        if (length > key.size() ||
            !visit(std::get<KeyVariable>(segments[at]), key.substr(0, length))) {
            return false;
        }
        key.remove_prefix(length);
    }
    return key.empty();
}

}  // namespace

std::optional<AttributeValue> read_piece(const KeyVariable& variable, std::string_view text) {
    if (std::holds_alternative<DateFormat>(variable.format)) {
        return std::nullopt;
    }
    const auto kind = variable.type.kind;
    const bool padded = std::holds_alternative<NumberFormat>(variable.format);
    if (!padded && kind == Kind::kBoolean && variable.type.true_text.empty()) {
        return AttributeValue{text == "true"};
    }
    if (padded || kind == Kind::kNumber || kind == Kind::kEpochSeconds ||
        kind == Kind::kEpochMillis) {
        const auto number = Number::parse(text);
        return number ? std::optional(AttributeValue{*number}) : std::nullopt;
    }
    return AttributeValue{std::string(text)};
}

bool is_text_piece(const KeyVariable& variable) {
    const auto kind = variable.type.kind;
    return std::holds_alternative<std::monostate>(variable.format) &&
           (kind == Kind::kText || is_timestamp(kind));
}

std::optional<value::Item> KeyTemplate::parse_key(std::string_view key) const {
    value::Item found;
    const bool whole = walk(*this, key, [&](const KeyVariable& variable, std::string_view text) {
        if (!fits_variable(variable, text)) {
            return false;
        }
        auto value = read_piece(variable, text);
        if (!value) {
            return true;
        }
        const auto [place, is_new] = found.try_emplace(variable.name, std::move(*value));
        return is_new || place->second == *value;
    });
    return whole ? std::optional(std::move(found)) : std::nullopt;
}

bool fits_key(const KeyTemplate& made_by, std::string_view key) {
    return walk(made_by, key, fits_variable);
}

std::optional<std::string_view> find_key_piece(
    const KeyTemplate& made_by, std::string_view key, const KeyVariable& wanted
) {
    std::optional<std::string_view> found;
    walk(made_by, key, [&](const KeyVariable& variable, std::string_view text) {
        if (&variable == &wanted) {
            found = text;
        }
        return !found;
    });
    return found;
}

}  // namespace gateleg::model

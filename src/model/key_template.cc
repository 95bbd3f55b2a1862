#include "model/key_template.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/time_text.h"
#include "model/key_spelling.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;
using Kind = KeyValueType::Kind;

constexpr std::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";  // U+10FFFF
constexpr std::int64_t kMillisPerDay = 86'400'000;

std::optional<int> to_int(std::string_view text) {
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

std::string padded(std::int64_t number, std::size_t width) {
    auto text = std::to_string(number);
    return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

std::string timestamp_text(std::int64_t millis, bool whole_seconds) {
    auto text = render_rfc3339(millis);
    if (whole_seconds) {
        text.replace(text.size() - 5, 5, "Z");
    }
    return text;
}

Error bad_value(const KeyVariable& variable, const std::string& why) {
    return validation_error("Key value '" + variable.name + "' " + why);
}

Result<std::int64_t> to_millis(const KeyVariable& variable, const AttributeValue& value) {
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        if (const auto millis = parse_rfc3339_millis(*text)) {
            return *millis;
        }
        return bad_value(variable, "is no time: " + *text);
    }
    if (const auto* number = std::get_if<Number>(&value.data)) {
        const auto text = number->to_text();
        std::int64_t count = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
        const auto unit = variable.type.kind == Kind::kEpochSeconds ? 1000 : 1;
        const auto millis = find_epoch_millis(count, unit);
        if (failure == std::errc() && end == text.data() + text.size() && millis) {
            return *millis;
        }
    }
    return bad_value(variable, "is no time");
}

Result<std::string> render_boolean(const KeyVariable& variable, const AttributeValue& value) {
    const auto& type = variable.type;
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        if (type.true_text.empty()) {
            return std::string(*flag ? "true" : "false");
        }
        return *flag ? type.true_text : type.false_text;
    }
    if (const auto* text = std::get_if<std::string>(&value.data);
        text != nullptr && !type.true_text.empty() &&
        (*text == type.true_text || *text == type.false_text)) {
        return *text;
    }
    return bad_value(variable, "is no boolean");
}

Result<std::string> render_text(const KeyVariable& variable, const AttributeValue& value) {
    if (const auto* number = std::get_if<Number>(&value.data)) {
        return number->to_text();
    }
    const auto* text = std::get_if<std::string>(&value.data);
    if (text == nullptr) {
        return bad_value(variable, "is neither text nor a number");
    }
    if (is_timestamp(variable.type.kind) && !is_written_time(variable, *text)) {
        const bool seconds = variable.type.kind == Kind::kTimestampSeconds;
        return bad_value(
            variable, "must be written as " + timestamp_text(0, seconds) + ", not " + *text
        );
    }
    if (!is_one_of_its_values(variable, *text)) {
        return bad_value(variable, "is none of its values: " + *text);
    }
    return *text;
}

Result<std::string> render_plain(const KeyVariable& variable, const AttributeValue& value) {
    switch (variable.type.kind) {
        case Kind::kBoolean:
            return render_boolean(variable, value);
        case Kind::kNumber:
        case Kind::kEpochSeconds:
        case Kind::kEpochMillis:
            if (!std::holds_alternative<Number>(value.data)) {
                return bad_value(variable, "is no number");
            }
            break;
        case Kind::kText:
        case Kind::kTimestampMillis:
        case Kind::kTimestampSeconds:
        case Kind::kShard:
            break;
    }
    return render_text(variable, value);
}

// One variable, without looking at what stands behind it.
Result<std::string> render_variable(const KeyVariable& variable, const AttributeValue& value) {
    if (const auto* date = std::get_if<DateFormat>(&variable.format)) {
        GATELEG_TRY_ASSIGN(const auto millis, to_millis(variable, value));
        return render_date(millis, date->text);
    }
    if (const auto* format = std::get_if<NumberFormat>(&variable.format)) {
        const auto* number = std::get_if<Number>(&value.data);
        if (number == nullptr) {
            return bad_value(variable, "is no number");
        }
        auto text = render_number(*number, *format);
        if (!text) {
            return bad_value(variable, text.error().message);
        }
        return text;
    }
    return render_plain(variable, value);
}

// The nearest number the format can hold, upwards for a lower bound, downwards for an upper one.
// Nothing when no number on that side fits.
std::optional<std::string> render_bound(
    const Number& number, const NumberFormat& format, bool is_lower
) {
    const Number zero;
    if (number < zero) {
        return is_lower ? std::optional(*render_number(zero, format)) : std::nullopt;
    }
    auto text = number.to_text();
    const auto point = text.find('.');
    const auto decimals = static_cast<std::size_t>(format.decimals);
    const bool cut = point != std::string::npos && text.size() - point - 1 > decimals;
    auto rounded = number;
    if (cut) {
        rounded = *Number::parse(text.substr(0, point + 1 + decimals) + "0");
        if (is_lower) {
            const auto unit =
                Number::parse(decimals == 0 ? "1" : "0." + std::string(decimals - 1, '0') + "1");
            rounded = *Number::add(rounded, *unit);
        }
    }
    if (auto fits = render_number(rounded, format)) {
        return *fits;
    }
    if (is_lower) {
        return std::nullopt;
    }
    auto largest = std::string(static_cast<std::size_t>(format.width), '9');
    if (decimals > 0) {
        largest[largest.size() - decimals - 1] = '.';
    }
    return largest;
}

Result<std::optional<std::string>> render_range_end(
    const KeyVariable& variable, const AttributeValue& value, bool is_lower
) {
    if (const auto* format = std::get_if<NumberFormat>(&variable.format)) {
        const auto* number = std::get_if<Number>(&value.data);
        if (number == nullptr) {
            return bad_value(variable, "is no number");
        }
        return render_bound(*number, *format, is_lower);
    }
    GATELEG_TRY_ASSIGN(auto text, render_variable(variable, value));
    return std::optional(std::move(text));
}

// All its bytes: half a character in a key condition is no text.
std::string_view first_character(std::string_view text) {
    std::size_t bytes = 1;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) {
        ++bytes;
    }
    return text.substr(0, bytes);
}

// The smallest text above everything that starts with `prefix`.
std::string after_prefix(std::string prefix) {
    const auto last = static_cast<unsigned char>(prefix.back());
    if (last >= 0x7e) {
        return prefix + std::string(kLastCharacter);
    }
    prefix.back() = static_cast<char>(last + 1);
    return prefix;
}

Result<KeyVariable> parse_variable_name(std::string_view inside, std::string_view whole) {
    const auto colon = inside.find(':');
    const auto name = inside.substr(0, colon);
    const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_';
    });
    if (!good) {
        return validation_error(
            "key template '" + std::string(whole) + "' has a variable '{" + std::string(inside) +
            "}' that is no name"
        );
    }
    KeyVariable variable{std::string(name), {}, {}};
    if (colon != std::string_view::npos) {
        GATELEG_TRY_ASSIGN(variable.format, parse_key_format(inside.substr(colon + 1)));
    }
    if (variable.name == "shard") {
        variable.type.kind = Kind::kShard;
    }
    return variable;
}

}  // namespace

Result<KeyFormat> parse_key_format(std::string_view text) {
    if (text.starts_with('%')) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '%' && (++at == text.size() || std::string_view("YmdHMS").find(text[at]
                                                           ) == std::string_view::npos)) {
                return validation_error(
                    "date format '" + std::string(text) + "' may use %Y %m %d %H %M %S"
                );
            }
        }
        return KeyFormat(DateFormat{std::string(text)});
    }
    const auto dot = text.find('.');
    const auto width = to_int(text.substr(0, dot));
    const auto decimals =
        dot == std::string_view::npos ? std::optional(0) : to_int(text.substr(dot + 1));
    if (!text.starts_with('0') || text.size() < 2 || !width || *width < 1 || *width > 60 ||
        !decimals || (dot != std::string_view::npos && *decimals < 1) || *decimals > 37 ||
        (*decimals > 0 && *decimals + 2 > *width)) {
        return validation_error(
            "format '" + std::string(text) + "' is none of 0W, 0W.D and %Y%m%d.."
        );
    }
    return KeyFormat(NumberFormat{*width, *decimals});
}

std::string render_date(std::int64_t millis, std::string_view format) {
    using std::chrono::days;
    const auto day = millis >= 0 ? millis / kMillisPerDay : -((-millis - 1) / kMillisPerDay) - 1;
    const auto second = (millis - day * kMillisPerDay) / 1000;
    const std::chrono::year_month_day date{std::chrono::sys_days{days{day}}};
    std::string out;
    for (std::size_t at = 0; at < format.size(); ++at) {
        if (format[at] != '%' || at + 1 == format.size()) {
            out += format[at];
            continue;
        }
        switch (format[++at]) {
            case 'Y':
                out += padded(static_cast<int>(date.year()), 4);
                break;
            case 'm':
                out += padded(static_cast<unsigned>(date.month()), 2);
                break;
            case 'd':
                out += padded(static_cast<unsigned>(date.day()), 2);
                break;
            case 'H':
                out += padded(second / 3600, 2);
                break;
            case 'M':
                out += padded(second / 60 % 60, 2);
                break;
            case 'S':
                out += padded(second % 60, 2);
                break;
            default:
                break;
        }
    }
    return out;
}

Result<std::string> render_number(const Number& number, const NumberFormat& format) {
    auto text = number.to_text();
    if (number.is_negative()) {
        return validation_error("is negative and cannot be padded: " + text);
    }
    const auto point = text.find('.');
    const auto fraction = point == std::string::npos ? 0 : text.size() - point - 1;
    const auto decimals = static_cast<std::size_t>(format.decimals);
    if (fraction > decimals) {
        return validation_error("has more than " + std::to_string(decimals) + " decimals: " + text);
    }
    if (decimals > 0) {
        if (point == std::string::npos) {
            text += '.';
        }
        text.append(decimals - fraction, '0');
    }
    const auto width = static_cast<std::size_t>(format.width);
    if (text.size() > width) {
        return validation_error(
            "does not fit " + std::to_string(width) + " characters: " + number.to_text()
        );
    }
    return std::string(width - text.size(), '0') + text;
}

Result<KeyTemplate> KeyTemplate::parse(std::string_view text) {
    KeyTemplate parsed;
    parsed.text_ = text;
    auto rest = text;
    while (!rest.empty()) {
        const auto open = rest.find_first_of("{}");
        if (open != 0) {
            parsed.segments_.emplace_back(std::string(rest.substr(0, open)));
            rest.remove_prefix(std::min(open, rest.size()));
            continue;
        }
        const auto close = rest.find('}');
        if (rest[0] == '}' || close == std::string_view::npos) {
            return validation_error(
                "key template '" + std::string(text) + "' has a brace without its partner"
            );
        }
        GATELEG_TRY_ASSIGN(auto variable, parse_variable_name(rest.substr(1, close - 1), text));
        parsed.segments_.emplace_back(std::move(variable));
        rest.remove_prefix(close + 1);
    }
    if (parsed.segments_.empty()) {
        return validation_error("key template is empty");
    }
    return parsed;
}

void KeyTemplate::set_type(std::string_view variable, const KeyValueType& type) {
    for (auto& segment : segments_) {
        if (auto* found = std::get_if<KeyVariable>(&segment);
            found != nullptr && found->name == variable && variable != "shard") {
            found->type = type;
        }
    }
}

std::string_view KeyTemplate::terminator(std::size_t segment) const {
    if (segment + 1 < segments_.size()) {
        if (const auto* literal = std::get_if<std::string>(&segments_[segment + 1])) {
            return first_character(*literal);
        }
    }
    return {};
}

Result<KeyTemplate::Known> KeyTemplate::render_known(const value::Item& known) const {
    Known result;
    for (; result.next < segments_.size(); ++result.next) {
        const auto& segment = segments_[result.next];
        if (const auto* literal = std::get_if<std::string>(&segment)) {
            result.prefix += *literal;
            continue;
        }
        const auto& variable = std::get<KeyVariable>(segment);
        const auto found = known.find(variable.name);
        if (found == known.end() || std::holds_alternative<value::Null>(found->second.data)) {
            return result;
        }
        GATELEG_TRY_ASSIGN(const auto text, render_variable(variable, found->second));
        if (text.empty() && variable.type.kind != Kind::kShard) {
            return bad_value(variable, "is empty");
        }
        const auto end = terminator(result.next);
        if (!end.empty() && text.find(end) != std::string::npos) {
            return bad_value(variable, "may not hold '" + std::string(end) + "': " + text);
        }
        result.prefix += text;
    }
    return result;
}

Result<std::optional<std::string>> KeyTemplate::render(const value::Item& values) const {
    GATELEG_TRY_ASSIGN(auto known, render_known(values));
    if (known.next < segments_.size()) {
        return std::optional<std::string>();
    }
    return std::optional(std::move(known.prefix));
}

Result<KeyCondition> KeyTemplate::condition(const value::Item& known) const {
    GATELEG_TRY_ASSIGN(const auto fixed, render_known(known));
    if (fixed.next == segments_.size()) {
        return KeyCondition{KeyCondition::Form::kEqual, fixed.prefix};
    }
    if (fixed.prefix.empty()) {
        return KeyCondition{};
    }
    return KeyCondition{KeyCondition::Form::kBeginsWith, fixed.prefix};
}

Result<KeyCondition> KeyTemplate::condition(const value::Item& known, const ValueRange& range)
    const {
    using Form = KeyCondition::Form;
    GATELEG_TRY_ASSIGN(const auto fixed, render_known(known));
    if (fixed.next == segments_.size() || (!range.from && !range.to)) {
        return condition(known);
    }
    const auto& variable = std::get<KeyVariable>(segments_[fixed.next]);
    if (variable.name != range.variable) {
        return validation_error("Key '" + text_ + "' has no range over '" + range.variable + "'");
    }
    KeyCondition result;
    result.needs_filter = std::holds_alternative<DateFormat>(variable.format);
    result.low = fixed.prefix;
    if (range.from) {
        GATELEG_TRY_ASSIGN(const auto from, render_range_end(variable, *range.from, true));
        if (!from) {
            return KeyCondition{Form::kNone};
        }
        result.low += *from;
    }
    if (range.to) {
        GATELEG_TRY_ASSIGN(const auto to, render_range_end(variable, *range.to, false));
        if (!to) {
            return KeyCondition{Form::kNone};
        }
        result.high = fixed.prefix + *to;
        if (fixed.next + 1 < segments_.size()) {
            const auto end = terminator(fixed.next);
            result.high += end.empty() ? kLastCharacter : end;
            if (!end.empty()) {
                result.high = after_prefix(std::move(result.high));
            }
        }
    } else if (!fixed.prefix.empty()) {
        result.high = after_prefix(fixed.prefix);
    }
    if (result.high.empty()) {
        result.form = Form::kAtLeast;
    } else if (result.low.empty()) {
        result.form = Form::kAtMost;
    } else {
        // DynamoDB refuses BETWEEN with its bounds the wrong way round.
        result.form = result.low <= result.high ? Form::kBetween : Form::kNone;
    }
    return result;
}

Result<KeyCondition> KeyTemplate::condition_prefix(const value::Item& known, std::string_view start)
    const {
    GATELEG_TRY_ASSIGN(const auto fixed, render_known(known));
    if (fixed.next == segments_.size()) {
        return condition(known);
    }
    const auto& variable = std::get<KeyVariable>(segments_[fixed.next]);
    if (const auto end = terminator(fixed.next);
        !end.empty() && start.find(end) != std::string_view::npos) {
        return bad_value(
            variable, "may not hold '" + std::string(end) + "': " + std::string(start)
        );
    }
    const auto text = fixed.prefix + std::string(start);
    if (text.empty()) {
        return KeyCondition{};
    }
    return KeyCondition{KeyCondition::Form::kBeginsWith, text};
}

std::vector<const KeyVariable*> KeyTemplate::variables() const {
    std::vector<const KeyVariable*> found;
    for (const auto& segment : segments_) {
        if (const auto* variable = std::get_if<KeyVariable>(&segment)) {
            found.push_back(variable);
        }
    }
    return found;
}

const KeyVariable* KeyTemplate::find_variable(std::string_view name) const {
    for (const auto* variable : variables()) {
        if (variable->name == name) {
            return variable;
        }
    }
    return nullptr;
}

}  // namespace gateleg::model

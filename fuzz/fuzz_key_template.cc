// The first line is a template, the second a key, the rest attributes in DynamoDB's JSON. The first
// letter of a variable's name says its type.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "model/key_parse.h"
#include "model/key_template.h"
#include "value/json_codec.h"

namespace {

using namespace gateleg;  // NOLINT: one file, no header
using model::DateFormat;
using model::KeyCondition;
using model::KeyTemplate;
using model::KeyValueType;
using model::KeyVariable;
using model::NumberFormat;
using model::ValueRange;
using value::AttributeValue;
using value::Item;
using value::Number;

KeyValueType type_of(std::string_view name) {
    using Kind = KeyValueType::Kind;
    switch (name.front()) {
        case 'N':
            return {Kind::kNumber};
        case 'B':
            return {Kind::kBoolean};
        case 'Y':
            return {Kind::kBoolean, "Y", "N"};
        case 'T':
            return {Kind::kTimestampMillis};
        case 'Z':
            return {Kind::kTimestampSeconds};
        case 'E':
            return {Kind::kEpochSeconds};
        case 'M':
            return {Kind::kEpochMillis};
        case 'V':
            return {Kind::kText, "", "", {"red", "green"}};
        default:
            return {};
    }
}

std::optional<KeyTemplate> read_template(std::string_view text) {
    auto parsed = KeyTemplate::parse(text);
    if (!parsed) {
        return std::nullopt;
    }
    auto made = *parsed;
    for (const auto* variable : parsed->variables()) {
        made.set_type(variable->name, type_of(variable->name));
    }
    return made;
}

std::optional<Item> read_item(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::string bytes;
    if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS ||
        !value::append_map_of_values(bytes, root)) {
        return std::nullopt;
    }
    return value::decode_item(value::EncodedItem(std::move(bytes)).view());
}

bool matches(const KeyCondition& condition, std::string_view key) {
    using Form = KeyCondition::Form;
    switch (condition.form) {
        case Form::kNone:
            return false;
        case Form::kAny:
            return true;
        case Form::kEqual:
            return key == condition.low;
        case Form::kBeginsWith:
            return key.starts_with(condition.low);
        case Form::kBetween:
            return condition.low <= key && key <= condition.high;
        case Form::kAtLeast:
            return condition.low <= key;
        case Form::kAtMost:
            return key <= condition.high;
    }
    return false;
}

// No character sorts behind the last one of Unicode, which ends a range.
bool is_below_last(std::string_view key) {
    return std::all_of(key.begin(), key.end(), [](unsigned char c) { return c < 0xf4; });
}

// Formats that lose nothing, and no shard, whose text the template does not look at.
bool is_exact(const KeyVariable& variable) {
    return !std::holds_alternative<DateFormat>(variable.format) && variable.name != "shard";
}

// The variable ends where something else begins, and its value is of its own type.
bool is_readable(const KeyTemplate& made_by, const Item& values) {
    const KeyVariable* before = nullptr;
    for (const auto& segment : made_by.segments()) {
        const auto* variable = std::get_if<KeyVariable>(&segment);
        if (variable != nullptr) {
            const bool is_number = std::holds_alternative<Number>(values.at(variable->name).data);
            if (before != nullptr || !is_exact(*variable) ||
                (is_number && is_text_piece(*variable))) {
                return false;
            }
        }
        before = variable;
    }
    return true;
}

// Everything that can be asked about one variable when the others are known. `key` is what all
// values make, if they make one.
void check_ranges(
    const KeyTemplate& made_by,
    const Item& values,
    const KeyVariable& variable,
    const std::optional<std::string>& key
) {
    const auto found = values.find(variable.name);
    if (found == values.end()) {
        return;
    }
    const auto other = values.find("to");
    const std::optional<AttributeValue> own = found->second;
    const auto to = other != values.end() ? std::optional(other->second) : own;
    Item known = values;
    known.erase(variable.name);
    const auto ask = [&](const ValueRange& range) { return made_by.condition(known, range); };
    (void)ask({variable.name, own, to});
    (void)ask({variable.name, to, own});
    (void)ask({variable.name, {}, to});
    (void)ask({variable.name, to, {}});
    (void)ask({"other", own, to});
    (void)made_by.condition(values, {variable.name, own, to});
    if (!key || !is_below_last(*key)) {
        return;
    }
    // A key is in every range around its own value.
    for (const auto& range :
         {ValueRange{variable.name, own, own},
          ValueRange{variable.name, own, {}},
          ValueRange{variable.name, {}, own},
          ValueRange{variable.name, {}, {}}}) {
        const auto condition = ask(range);
        GATELEG_CHECK(condition.has_value() && matches(*condition, *key));
    }
    if (const auto* text = std::get_if<std::string>(&own->data); text && is_text_piece(variable)) {
        const auto condition = made_by.condition_prefix(known, text->substr(0, text->size() / 2));
        GATELEG_CHECK(condition.has_value() && matches(*condition, *key));
    }
}

void check_values(const KeyTemplate& made_by, const Item& values) {
    const auto rendered = made_by.render(values);
    const auto key = rendered ? *rendered : std::nullopt;
    const auto condition = made_by.condition(values);
    GATELEG_CHECK(condition.has_value() == rendered.has_value());
    if (key) {
        GATELEG_CHECK(condition->form == KeyCondition::Form::kEqual && condition->low == *key);
        GATELEG_CHECK(made_by.condition_prefix(values, "x")->form == KeyCondition::Form::kEqual);
        if (is_readable(made_by, values)) {
            const auto read = made_by.parse_key(*key);
            GATELEG_CHECK(read && made_by.render(*read)->value() == *key);
        }
    }
    for (const auto* variable : made_by.variables()) {
        GATELEG_CHECK(made_by.find_variable(variable->name)->name == variable->name);
        check_ranges(made_by, values, *variable, key);
    }
}

void check_key(const KeyTemplate& made_by, std::string_view key) {
    const auto values = made_by.parse_key(key);
    if (!values) {
        return;
    }
    GATELEG_CHECK(fits_key(made_by, key));
    const auto variables = made_by.variables();
    for (const auto* variable : variables) {
        const auto piece = find_key_piece(made_by, key, *variable);
        GATELEG_CHECK(piece.has_value());
        const auto value = read_piece(*variable, *piece);
        GATELEG_CHECK(!value || values->at(variable->name) == *value);
        GATELEG_CHECK(!is_text_piece(*variable) || *value == AttributeValue{std::string(*piece)});
    }
    check_values(made_by, *values);
    // A key that is understood is the key its values make.
    const auto again = made_by.render(*values);
    const bool exact = std::all_of(variables.begin(), variables.end(), [](const auto* variable) {
        return is_exact(*variable);
    });
    GATELEG_CHECK(!exact || !again || !*again || **again == key);
}

std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto first = take_line(text);
    (void)model::render_date(-1, first);
    const auto made_by = read_template(first);
    if (!made_by) {
        return 0;
    }
    const auto key = take_line(text);
    (void)made_by->condition({});
    (void)made_by->condition_prefix({}, key);
    (void)made_by->find_variable(key);
    check_key(*made_by, key);
    if (const auto values = read_item(text)) {
        check_values(*made_by, *values);
    }
    return 0;
}

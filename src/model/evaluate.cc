#include "model/evaluate.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/time_text.h"
#include "model/arithmetic.h"
#include "model/functions.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;

const AttributeValue* plain(const Value& value) {
    return std::get_if<AttributeValue>(&value);
}

template <class T>
const T* get_plain(const Value& value) {
    const auto* attribute = plain(value);
    return attribute != nullptr ? std::get_if<T>(&attribute->data) : nullptr;
}

std::optional<std::int64_t> to_integer(const Number& number) {
    const auto text = number.to_text();
    std::int64_t result = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (failure != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return result;
}

std::int64_t floor_seconds(std::int64_t millis) {
    return millis >= 0 ? millis / 1000 : -((-millis + 999) / 1000);
}

AttributeValue time_to_stored(Time time, const Attribute* attribute) {
    const auto type = attribute != nullptr ? attribute->type : AttributeType::kAny;
    switch (type) {
        case AttributeType::kEpochMillis:
            return {Number::from_int(time.millis)};
        case AttributeType::kEpochSeconds:
        case AttributeType::kInteger:
        case AttributeType::kNumber:
            return {Number::from_int(floor_seconds(time.millis))};
        default: {
            auto text = render_rfc3339(time.millis);
            if (attribute != nullptr && attribute->whole_seconds) {
                text.replace(text.size() - 5, 5, "Z");
            }
            return {std::move(text)};
        }
    }
}

class Evaluator {
public:
    explicit Evaluator(const Environment& environment) : environment_(environment) {}

    Result<Value> run(const Expr& expr) {
        auto result = std::visit([&](const auto& node) { return visit(node, expr); }, expr.node);
        if (result && expr.type.attribute != nullptr) {
            if (const auto* stored = plain(*result)) {
                return from_stored(*stored, expr.type.attribute);
            }
        }
        return result;
    }

private:
    Result<Value> visit(const LiteralNode& node, const Expr& expr) {
        if (expr.type.kind == ValueKind::kTime) {
            const auto millis = parse_rfc3339_millis(std::get<std::string>(node.value.data));
            return Value(Time{millis.value_or(0)});
        }
        return Value(node.value);
    }
    Result<Value> visit(const DurationNode& node, const Expr& /*expr*/) {
        return Value(Duration{node.millis});
    }
    Result<Value> visit(const TextNode& node, const Expr& /*expr*/) {
        std::string text;
        for (const auto& part : node.parts) {
            if (!part.value) {
                text += part.literal;
                continue;
            }
            GATELEG_TRY_ASSIGN(auto value, run(*part.value));
            if (part.format.empty() && std::holds_alternative<Time>(value)) {
                value = to_stored(value, part.value->type.attribute);
            }
            KeyFormat format;
            if (!part.format.empty()) {
                GATELEG_TRY_ASSIGN(format, parse_key_format(part.format));
            }
            GATELEG_TRY_ASSIGN(const auto rendered, render_value(value, format));
            if (!rendered) {
                return null_value();
            }
            text += *rendered;
        }
        return text_value(std::move(text));
    }

    Result<Value> visit(const WordNode& node, const Expr& /*expr*/) {
        switch (node.word) {
            case Word::kCaller:
                return environment_.caller ? text_value(*environment_.caller) : Value(Nobody{});
            case Word::kViewer:
                return text_value(environment_.viewer);
            case Word::kNow:
                return Value(Time{environment_.now_millis});
            case Word::kAttempt:
                return number_value(Number::from_int(environment_.attempt));
            case Word::kExists:
                return boolean_value(environment_.item != nullptr);
            case Word::kAbsent:
                return boolean_value(environment_.item == nullptr);
        }
        return null_value();
    }

    Result<Value> visit(const NameNode& node, const Expr& expr) {
        if (node.meaning == NameNode::Meaning::kEnumValue) {
            return text_value(node.name);
        }
        if (environment_.item != nullptr) {
            const auto found = environment_.item->find(node.name);
            if (found != environment_.item->end()) {
                return Value(found->second);
            }
        }
        // A derived attribute that is not stored, or not written yet.
        const auto* attribute = expr.type.attribute;
        if (environment_.item != nullptr && attribute != nullptr && attribute->is) {
            return run(*attribute->is->root);
        }
        return null_value();
    }

    Result<Value> visit(const VariableNode& node, const Expr& /*expr*/) {
        const auto found = environment_.variables.find(node.name);
        return found != environment_.variables.end() ? found->second : null_value();
    }

    Result<Value> visit(const MemberNode& node, const Expr& expr) {
        GATELEG_TRY_ASSIGN(const auto object, run(*node.object));
        if (const auto* map = get_plain<value::Map>(object)) {
            if (const auto found = map->find(node.name); found != map->end()) {
                return Value(found->second);
            }
            const auto* attribute = expr.type.attribute;
            if (node.object->type.kind == ValueKind::kItem && attribute != nullptr &&
                attribute->is) {
                Environment inner = environment_;
                inner.item = map;
                return Evaluator(inner).run(*attribute->is->root);
            }
        }
        return null_value();
    }

    Result<Value> visit(const IndexNode& node, const Expr& /*expr*/) {
        GATELEG_TRY_ASSIGN(const auto object, run(*node.object));
        GATELEG_TRY_ASSIGN(const auto index, run(*node.index));
        if (const auto* map = get_plain<value::Map>(object)) {
            const auto* name = get_plain<std::string>(index);
            const auto found = name != nullptr ? map->find(*name) : map->end();
            return found != map->end() ? Value(found->second) : null_value();
        }
        if (const auto* list = get_plain<value::List>(object)) {
            const auto* number = get_plain<Number>(index);
            const auto place = number != nullptr ? to_integer(*number) : std::nullopt;
            if (place && *place >= 0 && static_cast<std::size_t>(*place) < list->size()) {
                return Value((*list)[static_cast<std::size_t>(*place)]);
            }
        }
        return null_value();
    }

    Result<Value> visit(const UnaryNode& node, const Expr& /*expr*/) {
        GATELEG_TRY_ASSIGN(const auto operand, run(*node.operand));
        if (node.op == UnaryOp::kNot) {
            return boolean_value(!is_true(operand));
        }
        if (const auto* number = get_plain<Number>(operand)) {
            return number_value(negate(*number));
        }
        if (const auto* duration = std::get_if<Duration>(&operand)) {
            return Value(Duration{-duration->millis});
        }
        return null_value();
    }

    Result<Value> visit(const BinaryNode& node, const Expr& /*expr*/) {
        GATELEG_TRY_ASSIGN(const auto left, run(*node.left));
        switch (node.op) {
            case BinaryOp::kCoalesce:
                return is_null(left) ? run(*node.right) : left;
            case BinaryOp::kOr:
                return is_true(left) ? boolean_value(true) : as_boolean(*node.right);
            case BinaryOp::kAnd:
                return !is_true(left) ? boolean_value(false) : as_boolean(*node.right);
            default:
                break;
        }
        GATELEG_TRY_ASSIGN(const auto right, run(*node.right));
        switch (node.op) {
            case BinaryOp::kEqual:
                return boolean_value(same(node, left, right));
            case BinaryOp::kNotEqual:
                return boolean_value(!same(node, left, right));
            case BinaryOp::kLess:
            case BinaryOp::kLessOrEqual:
            case BinaryOp::kGreater:
            case BinaryOp::kGreaterOrEqual:
                return boolean_value(is_ordered(node.op, left, right));
            default:
                return calculate(node.op, left, right);
        }
    }

    Result<Value> as_boolean(const Expr& expr) {
        GATELEG_TRY_ASSIGN(const auto value, run(expr));
        return boolean_value(is_true(value));
    }

    // `caller = null` asks whether anybody is signed in; any other comparison with nobody fails.
    static bool same(const BinaryNode& node, const Value& left, const Value& right) {
        const auto is_literal_null = [](const Expr& expr) {
            const auto* literal = std::get_if<LiteralNode>(&expr.node);
            return literal != nullptr && std::holds_alternative<value::Null>(literal->value.data);
        };
        if (is_literal_null(*node.left) || is_literal_null(*node.right)) {
            return is_null(left) && is_null(right);
        }
        return equal_values(left, right);
    }

    static bool is_ordered(BinaryOp op, const Value& left, const Value& right) {
        const auto order = compare_values(left, right);
        if (!order) {
            return false;
        }
        switch (op) {
            case BinaryOp::kLess:
                return *order < 0;
            case BinaryOp::kLessOrEqual:
                return *order <= 0;
            case BinaryOp::kGreater:
                return *order > 0;
            default:
                return *order >= 0;
        }
    }

    static Result<Value> calculate(BinaryOp op, const Value& left, const Value& right) {
        const auto* a = get_plain<Number>(left);
        const auto* b = get_plain<Number>(right);
        if (a != nullptr && b != nullptr) {
            return calculate_numbers(op, *a, *b);
        }
        const auto sign = op == BinaryOp::kSubtract ? -1 : 1;
        const auto* time = std::get_if<Time>(&left);
        if (time != nullptr && b != nullptr) {
            // A number added to a time is milliseconds: now + attempt.
            const auto millis = to_integer(*b);
            return millis ? Value(Time{time->millis + sign * *millis}) : null_value();
        }
        const auto* duration = std::get_if<Duration>(&right);
        if (time != nullptr && duration != nullptr) {
            return Value(Time{time->millis + sign * duration->millis});
        }
        const auto* start = std::get_if<Time>(&right);
        if (time != nullptr && start != nullptr) {
            return Value(Duration{time->millis - start->millis});
        }
        const auto* length = std::get_if<Duration>(&left);
        if (length != nullptr && duration != nullptr) {
            return Value(Duration{length->millis + sign * duration->millis});
        }
        if (length != nullptr && b != nullptr && op == BinaryOp::kMultiply) {
            const auto factor = to_integer(*b);
            std::int64_t product = 0;
            if (!factor || __builtin_mul_overflow(length->millis, *factor, &product)) {
                return validation_error("a duration is too long");
            }
            return Value(Duration{product});
        }
        return null_value();  // something is null
    }

    static Result<Value> calculate_numbers(BinaryOp op, const Number& a, const Number& b) {
        const auto result = [&]() -> Result<Number> {
            switch (op) {
                case BinaryOp::kAdd:
                    return Number::add(a, b);
                case BinaryOp::kSubtract:
                    return Number::subtract(a, b);
                case BinaryOp::kMultiply:
                    return multiply(a, b);
                default:
                    return divide(a, b);
            }
        }();
        if (!result) {
            return result.error();
        }
        return number_value(*result);
    }

    Result<Value> visit(const ConditionalNode& node, const Expr& /*expr*/) {
        GATELEG_TRY_ASSIGN(const auto test, run(*node.test));
        return run(is_true(test) ? *node.yes : *node.no);
    }

    Result<Value> visit(const InNode& node, const Expr& /*expr*/) {
        GATELEG_TRY_ASSIGN(const auto operand, run(*node.operand));
        for (const auto& option : node.options) {
            GATELEG_TRY_ASSIGN(const auto value, run(*option));
            if (equal_values(operand, value)) {
                return boolean_value(true);
            }
        }
        return boolean_value(false);
    }

    Result<Value> visit(const ListNode& node, const Expr& /*expr*/) {
        value::List list;
        for (const auto& element : node.elements) {
            GATELEG_TRY_ASSIGN(const auto value, run(*element));
            list.push_back(to_stored(value, element->type.attribute));
        }
        return Value(AttributeValue{std::move(list)});
    }

    Result<Value> visit(const MapNode& node, const Expr& /*expr*/) {
        value::Map map;
        for (const auto& [name, member] : node.members) {
            GATELEG_TRY_ASSIGN(const auto value, run(*member));
            if (!is_null(value)) {
                map[name] = to_stored(value, member->type.attribute);
            }
        }
        return Value(AttributeValue{std::move(map)});
    }

    Result<Value> visit(const CallNode& node, const Expr& /*expr*/) {
        if (node.function == "match") {
            return match(node);
        }
        if (node.function == "role") {
            return boolean_value(std::any_of(
                node.arguments.begin(),
                node.arguments.end(),
                [&](const Argument& argument) {
                    const auto* name = std::get_if<NameNode>(&argument.value->node);
                    return name != nullptr && environment_.roles.contains(name->name);
                }
            ));
        }
        std::vector<Value> arguments;
        for (const auto& argument : node.arguments) {
            GATELEG_TRY_ASSIGN(auto value, run(*argument.value));
            arguments.push_back(std::move(value));
        }
        return call_function(node.function, arguments, environment_);
    }

    Result<Value> match(const CallNode& node) {
        GATELEG_TRY_ASSIGN(const auto selector, run(*node.arguments[0].value));
        GATELEG_TRY_ASSIGN(const auto text, render_value(selector, {}));
        for (std::size_t at = 1; at < node.arguments.size(); ++at) {
            if (text == node.arguments[at].name) {
                return run(*node.arguments[at].value);
            }
        }
        return null_value();
    }

    const Environment& environment_;
};

}  // namespace

Value null_value() {
    return AttributeValue{value::Null{}};
}
Value text_value(std::string text) {
    return AttributeValue{std::move(text)};
}
Value boolean_value(bool value) {
    return AttributeValue{value};
}
Value number_value(Number number) {
    return AttributeValue{number};
}

bool is_null(const Value& value) {
    return get_plain<value::Null>(value) != nullptr || std::holds_alternative<Nobody>(value);
}

bool is_true(const Value& value) {
    const auto* flag = get_plain<bool>(value);
    return flag != nullptr && *flag;
}

Value from_stored(const AttributeValue& stored, const Attribute* attribute) {
    if (attribute == nullptr) {
        return stored;
    }
    const auto* text = std::get_if<std::string>(&stored.data);
    const auto* number = std::get_if<Number>(&stored.data);
    switch (attribute->type) {
        case AttributeType::kBoolean:
            if (text != nullptr && attribute->spelling) {
                return boolean_value(*text == attribute->spelling->first);
            }
            return stored;
        case AttributeType::kTimestamp:
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            if (text != nullptr) {
                const auto millis = parse_rfc3339_millis(*text);
                return millis ? Value(Time{*millis}) : Value(stored);
            }
            if (number != nullptr) {
                const auto unit = attribute->type == AttributeType::kEpochSeconds ? 1000 : 1;
                const auto count = to_integer(*number);
                if (const auto millis = count ? find_epoch_millis(*count, unit) : std::nullopt) {
                    return Time{*millis};
                }
            }
            return stored;
        default:
            return stored;
    }
}

AttributeValue to_stored(const Value& value, const Attribute* attribute) {
    if (const auto* time = std::get_if<Time>(&value)) {
        return time_to_stored(*time, attribute);
    }
    if (const auto* duration = std::get_if<Duration>(&value)) {
        return {Number::from_int(duration->millis / 1000)};
    }
    const auto* stored = plain(value);
    if (stored == nullptr) {
        return {value::Null{}};
    }
    if (attribute == nullptr) {
        return *stored;
    }
    if (attribute->spelling) {
        if (const auto* flag = std::get_if<bool>(&stored->data)) {
            return {*flag ? attribute->spelling->first : attribute->spelling->second};
        }
    }
    if (is_time(attribute->type) && std::holds_alternative<std::string>(stored->data)) {
        const auto millis = parse_rfc3339_millis(std::get<std::string>(stored->data));
        return millis ? time_to_stored(Time{*millis}, attribute) : *stored;
    }
    return *stored;
}

std::optional<std::strong_ordering> compare_values(const Value& left, const Value& right) {
    const auto as_time = [](const Value& value) -> std::optional<Time> {
        if (const auto* time = std::get_if<Time>(&value)) {
            return *time;
        }
        if (const auto* text = get_plain<std::string>(value)) {
            const auto millis = parse_rfc3339_millis(*text);
            return millis ? std::optional(Time{*millis}) : std::nullopt;
        }
        return std::nullopt;
    };
    if (std::holds_alternative<Time>(left) || std::holds_alternative<Time>(right)) {
        const auto a = as_time(left);
        const auto b = as_time(right);
        return a && b ? std::optional(*a <=> *b) : std::nullopt;
    }
    if (std::holds_alternative<Duration>(left) && std::holds_alternative<Duration>(right)) {
        return std::get<Duration>(left) <=> std::get<Duration>(right);
    }
    const auto* a = get_plain<Number>(left);
    const auto* b = get_plain<Number>(right);
    if (a != nullptr && b != nullptr) {
        return *a <=> *b;
    }
    const auto* text = get_plain<std::string>(left);
    const auto* other = get_plain<std::string>(right);
    if (text != nullptr && other != nullptr) {
        return text->compare(*other) <=> 0;
    }
    return std::nullopt;
}

bool equal_values(const Value& left, const Value& right) {
    if (std::holds_alternative<Nobody>(left) || std::holds_alternative<Nobody>(right)) {
        return false;
    }
    if (is_null(left) || is_null(right)) {
        return is_null(left) && is_null(right);
    }
    if (const auto order = compare_values(left, right)) {
        return *order == 0;
    }
    const auto* a = plain(left);
    const auto* b = plain(right);
    return a != nullptr && b != nullptr && *a == *b;
}

Result<Value> evaluate(const Expr& expr, const Environment& environment) {
    return Evaluator(environment).run(expr);
}

Result<bool> holds(const Expression& expression, const Environment& environment) {
    GATELEG_TRY_ASSIGN(const auto value, evaluate(expression, environment));
    return is_true(value);
}

Result<std::optional<std::string>> render_value(const Value& value, const KeyFormat& format) {
    using Text = std::optional<std::string>;
    if (is_null(value)) {
        return Text();
    }
    if (const auto* date = std::get_if<DateFormat>(&format)) {
        if (const auto* time = std::get_if<Time>(&value)) {
            return Text(render_date(time->millis, date->text));
        }
        return validation_error("a date format needs a time");
    }
    const auto stored = to_stored(value, nullptr);
    if (const auto* padded = std::get_if<NumberFormat>(&format)) {
        const auto* number = std::get_if<Number>(&stored.data);
        if (number == nullptr) {
            return validation_error("padding needs a number");
        }
        GATELEG_TRY_ASSIGN(auto text, render_number(*number, *padded));
        return Text(std::move(text));
    }
    if (const auto* text = std::get_if<std::string>(&stored.data)) {
        return Text(*text);
    }
    if (const auto* number = std::get_if<Number>(&stored.data)) {
        return Text(number->to_text());
    }
    if (const auto* flag = std::get_if<bool>(&stored.data)) {
        return Text(*flag ? "true" : "false");
    }
    return validation_error("a list, set or map has no text");
}

}  // namespace gateleg::model

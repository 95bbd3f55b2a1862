#include "model/resolve.h"

#include <algorithm>
#include <array>

#include "base/time_text.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;

struct Function {
    std::string_view name;
    std::size_t least;
    std::size_t most;
    ValueKind result;
};
constexpr std::size_t kMany = 100;
constexpr std::array<Function, 15> kFunctions = {{
    {"match", 2, kMany, ValueKind::kAny},
    {"min", 1, kMany, ValueKind::kAny},
    {"max", 1, kMany, ValueKind::kAny},
    {"lower", 1, 1, ValueKind::kText},
    {"fold", 1, 1, ValueKind::kText},
    {"squeeze", 1, 1, ValueKind::kText},
    {"starts_with", 2, 2, ValueKind::kBoolean},
    {"hash", 1, kMany, ValueKind::kText},
    {"ulid", 0, 0, ValueKind::kText},
    {"uuid", 0, 0, ValueKind::kText},
    {"uuid7", 0, 0, ValueKind::kText},
    {"without", 2, 2, ValueKind::kList},
    {"epoch_s", 1, 1, ValueKind::kNumber},
    {"add_months", 2, 2, ValueKind::kTime},
    {"role", 1, kMany, ValueKind::kBoolean},
}};

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const auto& function : kFunctions) {
        names.emplace_back(function.name);
    }
    return names;
}

std::string_view kind_name(ValueKind kind) {
    switch (kind) {
        case ValueKind::kAny:
            return "anything";
        case ValueKind::kNull:
            return "null";
        case ValueKind::kBoolean:
            return "a boolean";
        case ValueKind::kNumber:
            return "a number";
        case ValueKind::kText:
            return "a text";
        case ValueKind::kTime:
            return "a time";
        case ValueKind::kDuration:
            return "a duration";
        case ValueKind::kList:
            return "a list";
        case ValueKind::kMap:
            return "a map";
        case ValueKind::kSet:
            return "a set";
        case ValueKind::kBinary:
            return "binary";
        case ValueKind::kItem:
            return "an item";
    }
    return "";
}

ValueKind literal_kind(const AttributeValue& value) {
    switch (value.type()) {
        case value::Type::kString:
            return ValueKind::kText;
        case value::Type::kNumber:
            return ValueKind::kNumber;
        case value::Type::kBool:
            return ValueKind::kBoolean;
        case value::Type::kNull:
            return ValueKind::kNull;
        case value::Type::kList:
            return ValueKind::kList;
        case value::Type::kMap:
            return ValueKind::kMap;
        case value::Type::kBinary:
            return ValueKind::kBinary;
        case value::Type::kStringSet:
        case value::Type::kNumberSet:
        case value::Type::kBinarySet:
            return ValueKind::kSet;
    }
    return ValueKind::kAny;
}

bool is_open(ValueKind kind) {
    return kind == ValueKind::kAny || kind == ValueKind::kNull;
}

bool has_value(const Type& type, std::string_view name) {
    return type.attribute != nullptr && type.attribute->type == AttributeType::kEnum &&
           std::find(type.attribute->values.begin(), type.attribute->values.end(), name) !=
               type.attribute->values.end();
}

bool is_enum(const Type& type) {
    return type.attribute != nullptr && type.attribute->type == AttributeType::kEnum;
}

std::string_view word_text(Word word) {
    switch (word) {
        case Word::kCaller:
            return "caller";
        case Word::kViewer:
            return "viewer";
        case Word::kNow:
            return "now";
        case Word::kAttempt:
            return "attempt";
        case Word::kExists:
            return "exists";
        case Word::kAbsent:
            return "absent";
    }
    return "";
}

class Resolver {
public:
    Resolver(const Scope& scope, Diagnostics& diagnostics)
        : scope_(scope), diagnostics_(diagnostics) {}

    Type run(const ExprPtr& expr, const Type& expected) {
        if (!expr) {
            return {};
        }
        expr->type = std::visit(
            [&](auto& node) -> Type { return visit(node, *expr, expected); }, expr->node
        );
        return expr->type;
    }

private:
    void error(std::string_view id, const Expr& at, std::string message, std::string hint = {}) {
        if (!scope_.where.empty()) {
            message = scope_.where + ": " + message;
        }
        diagnostics_.error(id, at.position, std::move(message), std::move(hint));
    }

    const Attribute* common_attribute(std::string_view name) const {
        const Attribute* found = nullptr;
        for (const auto* entity : scope_.item) {
            const auto* attribute = entity->find_attribute(name);
            if (attribute == nullptr) {
                return nullptr;
            }
            found = found == nullptr ? attribute : found;
        }
        return found;
    }

    bool is_attribute_name(const ExprPtr& expr) const {
        const auto* name = std::get_if<NameNode>(&expr->node);
        return name != nullptr && (common_attribute(name->name) != nullptr ||
                                   (scope_.table != nullptr && name->name == scope_.table->marker));
    }

    Type visit(LiteralNode& node, Expr& expr, const Type& expected) {
        const auto kind = literal_kind(node.value);
        if (const auto* text = std::get_if<std::string>(&node.value.data)) {
            if (is_enum(expected) && !has_value(expected, *text)) {
                unknown_value(*text, expr, expected);
            }
            if (expected.kind == ValueKind::kTime && parse_rfc3339_millis(*text)) {
                return {ValueKind::kTime};
            }
        }
        return {kind};
    }

    Type visit(DurationNode& /*node*/, Expr& /*expr*/, const Type& /*expected*/) {
        return {ValueKind::kDuration};
    }

    Type visit(TextNode& node, Expr& /*expr*/, const Type& /*expected*/) {
        for (auto& part : node.parts) {
            if (!part.value) {
                continue;
            }
            const auto type = run(part.value, {});
            const bool date = part.format.starts_with('%');
            if (date && !is_open(type.kind) && type.kind != ValueKind::kTime) {
                error(
                    "E03",
                    *part.value,
                    "a date format needs a time, not " + std::string(kind_name(type.kind))
                );
            } else if (!date && !part.format.empty() && !is_open(type.kind) && type.kind != ValueKind::kNumber && type.kind != ValueKind::kTime) {
                error(
                    "E03",
                    *part.value,
                    "padding needs a number, not " + std::string(kind_name(type.kind))
                );
            }
        }
        return {ValueKind::kText};
    }

    Type visit(WordNode& node, Expr& expr, const Type& /*expected*/) {
        if (common_attribute(word_text(node.word)) != nullptr) {
            error(
                "A01",
                expr,
                "'" + std::string(word_text(node.word)) +
                    "' is a word of the language and an attribute of the item",
                "rename the attribute, or read the item and write $item." +
                    std::string(word_text(node.word))
            );
        }
        switch (node.word) {
            case Word::kCaller:
            case Word::kViewer:
                return {ValueKind::kText};
            case Word::kNow:
                return {ValueKind::kTime};
            case Word::kAttempt:
                return {ValueKind::kNumber};
            case Word::kExists:
            case Word::kAbsent:
                if (!scope_.existence) {
                    error(
                        "E02", expr, "exists and absent have a meaning only in the `if` of a step"
                    );
                }
                return {ValueKind::kBoolean};
        }
        return {};
    }

    void unknown_value(const std::string& text, const Expr& expr, const Type& expected) {
        error(
            "E04",
            expr,
            "'" + text + "' is no value of '" + expected.attribute->name + "'",
            did_you_mean(text, expected.attribute->values)
        );
    }

    Type visit(NameNode& node, Expr& expr, const Type& expected) {
        const auto* attribute = common_attribute(node.name);
        if (attribute != nullptr) {
            if (has_value(expected, node.name)) {
                error(
                    "A02",
                    expr,
                    "'" + node.name + "' is an attribute and a value of '" +
                        expected.attribute->name + "'",
                    "write '" + node.name + "' in single quotes for the value"
                );
            }
            node.meaning = NameNode::Meaning::kAttribute;
            return type_of(*attribute);
        }
        if (scope_.table != nullptr && !scope_.item.empty() && node.name == scope_.table->marker) {
            node.meaning = NameNode::Meaning::kMarker;
            return {ValueKind::kText};
        }
        if (is_enum(expected)) {
            node.meaning = NameNode::Meaning::kEnumValue;
            if (!has_value(expected, node.name)) {
                unknown_value(node.name, expr, expected);
            }
            return {ValueKind::kText, expected.attribute};
        }
        if (scope_.enum_values != nullptr && scope_.enum_values->contains(node.name)) {
            node.meaning = NameNode::Meaning::kEnumValue;
            return {ValueKind::kText};
        }
        auto candidates = item_attributes();
        auto hint = did_you_mean(node.name, candidates);
        if (hint.empty()) {
            hint = did_you_mean(
                node.name,
                {"absent", "exists", "caller", "viewer", "now", "attempt", "true", "false"}
            );
        }
        if (hint.empty() && scope_.variables.contains(node.name)) {
            hint = "did you mean '$" + node.name + "'?";
        }
        error(
            "E02",
            expr,
            "nothing is called '" + node.name + "' here",
            hint.empty() ? "a text is written '" + node.name + "' in single quotes" : hint
        );
        return {};
    }

    std::vector<std::string> item_attributes() const {
        std::vector<std::string> names;
        for (const auto* entity : scope_.item) {
            for (const auto& attribute : entity->attributes) {
                names.push_back(attribute.name);
            }
        }
        return names;
    }

    Type visit(VariableNode& node, Expr& expr, const Type& /*expected*/) {
        const auto found = scope_.variables.find(node.name);
        if (found != scope_.variables.end()) {
            return found->second;
        }
        std::vector<std::string> candidates;
        for (const auto& [name, type] : scope_.variables) {
            candidates.push_back(name);
        }
        error(
            "E02",
            expr,
            "nothing is called '$" + node.name + "' here",
            did_you_mean(node.name, candidates)
        );
        return {};
    }

    Type visit(MemberNode& node, Expr& expr, const Type& /*expected*/) {
        const auto object = run(node.object, {});
        if (object.kind == ValueKind::kItem) {
            return item_member(object, node.name, expr);
        }
        if (object.kind == ValueKind::kMap && object.attribute != nullptr &&
            !object.attribute->fields.empty()) {
            if (const auto* field = object.attribute->find_field(node.name)) {
                return type_of(*field);
            }
            if (!object.attribute->open) {
                std::vector<std::string> names;
                for (const auto& field : object.attribute->fields) {
                    names.push_back(field.name);
                }
                error(
                    "E02",
                    expr,
                    "the map has no field '" + node.name + "'",
                    did_you_mean(node.name, names)
                );
            }
            return {};
        }
        if (!is_open(object.kind) && object.kind != ValueKind::kMap) {
            error("E03", expr, std::string(kind_name(object.kind)) + " has no members");
        }
        return {};
    }

    Type item_member(const Type& object, const std::string& name, const Expr& expr) {
        const Attribute* found = nullptr;
        for (const auto* entity : object.entities) {
            const auto* attribute = entity->find_attribute(name);
            if (attribute == nullptr && entity->open) {
                return {};
            }
            if (attribute == nullptr) {
                std::vector<std::string> names;
                for (const auto& one : entity->attributes) {
                    names.push_back(one.name);
                }
                error(
                    "E02",
                    expr,
                    entity->name + " has no attribute '" + name + "'",
                    did_you_mean(name, names)
                );
                return {};
            }
            found = found == nullptr ? attribute : found;
        }
        return found != nullptr ? type_of(*found) : Type{};
    }

    Type visit(IndexNode& node, Expr& /*expr*/, const Type& /*expected*/) {
        const auto object = run(node.object, {});
        run(node.index, {});
        if (object.attribute != nullptr && object.attribute->of) {
            return type_of(*object.attribute->of);
        }
        return {};
    }

    void want(const ExprPtr& expr, const Type& type, ValueKind kind) {
        if (type.kind != kind && !is_open(type.kind)) {
            error(
                "E03",
                *expr,
                std::string(kind_name(kind)) + " is needed, this is " +
                    std::string(kind_name(type.kind))
            );
        }
    }

    Type visit(UnaryNode& node, Expr& /*expr*/, const Type& /*expected*/) {
        const auto kind = node.op == UnaryOp::kNot ? ValueKind::kBoolean : ValueKind::kNumber;
        want(node.operand, run(node.operand, {}), kind);
        return {kind};
    }

    Type visit(BinaryNode& node, Expr& expr, const Type& expected) {
        switch (node.op) {
            case BinaryOp::kOr:
            case BinaryOp::kAnd:
                want(node.left, run(node.left, boolean_type()), ValueKind::kBoolean);
                want(node.right, run(node.right, boolean_type()), ValueKind::kBoolean);
                return boolean_type();
            case BinaryOp::kCoalesce: {
                const auto left = run(node.left, expected);
                const auto right =
                    run(node.right, expected.kind == ValueKind::kAny ? left : expected);
                return join(left, right);
            }
            case BinaryOp::kEqual:
            case BinaryOp::kNotEqual:
            case BinaryOp::kLess:
            case BinaryOp::kLessOrEqual:
            case BinaryOp::kGreater:
            case BinaryOp::kGreaterOrEqual:
                return comparison(node, expr);
            case BinaryOp::kAdd:
            case BinaryOp::kSubtract:
            case BinaryOp::kMultiply:
            case BinaryOp::kDivide:
                return arithmetic(node, expr);
        }
        return {};
    }

    // The side whose type is known first tells what bare names on the other side are.
    Type comparison(BinaryNode& node, Expr& expr) {
        const bool left_is_name = std::holds_alternative<NameNode>(node.left->node);
        const bool right_first = left_is_name && !is_attribute_name(node.left);
        auto& first = right_first ? node.right : node.left;
        auto& second = right_first ? node.left : node.right;
        const auto known = run(first, {});
        check_comparable(known, run(second, known), expr);
        return boolean_type();
    }

    void check_comparable(const Type& left, const Type& right, const Expr& expr) {
        if (left.kind == right.kind || is_open(left.kind) || is_open(right.kind)) {
            return;
        }
        error(
            "E03",
            expr,
            std::string(kind_name(left.kind)) + " is compared with " +
                std::string(kind_name(right.kind))
        );
    }

    Type arithmetic(BinaryNode& node, Expr& expr) {
        const auto left = run(node.left, {});
        const auto right = run(node.right, {});
        const auto a = left.kind;
        const auto b = right.kind;
        if (is_open(a) || is_open(b)) {
            return {a == ValueKind::kTime ? ValueKind::kTime : ValueKind::kAny};
        }
        if (a == ValueKind::kNumber && b == ValueKind::kNumber) {
            return {ValueKind::kNumber};
        }
        const bool sum = node.op == BinaryOp::kAdd || node.op == BinaryOp::kSubtract;
        if (sum && a == ValueKind::kTime &&
            (b == ValueKind::kDuration || b == ValueKind::kNumber)) {
            return {ValueKind::kTime};
        }
        if (sum && a == ValueKind::kDuration && b == ValueKind::kDuration) {
            return {ValueKind::kDuration};
        }
        if (node.op == BinaryOp::kSubtract && a == ValueKind::kTime && b == ValueKind::kTime) {
            return {ValueKind::kDuration};
        }
        if (node.op == BinaryOp::kMultiply && a == ValueKind::kDuration &&
            b == ValueKind::kNumber) {
            return {ValueKind::kDuration};
        }
        error(
            "E03",
            expr,
            "nothing can be calculated from " + std::string(kind_name(a)) + " and " +
                std::string(kind_name(b))
        );
        return {};
    }

    Type visit(ConditionalNode& node, Expr& /*expr*/, const Type& expected) {
        want(node.test, run(node.test, boolean_type()), ValueKind::kBoolean);
        const auto yes = run(node.yes, expected);
        return join(yes, run(node.no, expected));
    }

    // What a value is that comes from one of two places.
    static Type join(const Type& left, const Type& right) {
        if (left.kind == ValueKind::kNull) {
            return right;
        }
        if (right.kind == ValueKind::kNull || left.kind == right.kind) {
            const bool same = left.attribute == right.attribute || right.kind == ValueKind::kNull ||
                              (left.kind == ValueKind::kTime && left.attribute != nullptr);
            return same ? left : Type{left.kind};
        }
        return {};
    }

    Type visit(InNode& node, Expr& expr, const Type& /*expected*/) {
        const auto operand = run(node.operand, {});
        for (const auto& option : node.options) {
            check_comparable(operand, run(option, operand), expr);
        }
        return boolean_type();
    }

    Type visit(ListNode& node, Expr& /*expr*/, const Type& expected) {
        Type element;
        if (expected.attribute != nullptr && expected.attribute->of) {
            element = type_of(*expected.attribute->of);
        }
        for (const auto& one : node.elements) {
            run(one, element);
        }
        return {ValueKind::kList};
    }

    Type visit(MapNode& node, Expr& expr, const Type& expected) {
        for (const auto& [name, value] : node.members) {
            Type field;
            if (expected.attribute != nullptr && !expected.attribute->fields.empty()) {
                if (const auto* found = expected.attribute->find_field(name)) {
                    field = type_of(*found);
                } else if (!expected.attribute->open) {
                    error("E02", expr, "the map has no field '" + name + "'");
                }
            }
            run(value, field);
        }
        return {ValueKind::kMap};
    }

    Type visit(CallNode& node, Expr& expr, const Type& expected) {
        const auto function =
            std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& one) {
                return one.name == node.function;
            });
        if (function == kFunctions.end()) {
            error(
                "E02",
                expr,
                "there is no function '" + node.function + "'",
                did_you_mean(node.function, function_names())
            );
            return {};
        }
        if (node.arguments.size() < function->least || node.arguments.size() > function->most) {
            error("E05", expr, node.function + "() has another number of arguments");
        }
        if (node.function == "match") {
            return match(node, expr, expected);
        }
        if (node.function == "role") {
            return role(node, expr);
        }
        Type joined{ValueKind::kNull};
        for (const auto& argument : node.arguments) {
            const auto type = run(argument.value, {});
            joined = join(joined, type);
            check_argument(node, argument, type);
        }
        if (node.function == "min" || node.function == "max") {
            return {joined.kind};
        }
        return {function->result};
    }

    void check_argument(const CallNode& node, const Argument& argument, const Type& type) {
        if (!argument.name.empty()) {
            error(
                "E05", *argument.value, node.function + "() has no argument '" + argument.name + "'"
            );
        }
        if (node.function == "lower" || node.function == "fold" || node.function == "squeeze" ||
            node.function == "starts_with") {
            want(argument.value, type, ValueKind::kText);
        } else if (node.function == "epoch_s") {
            want(argument.value, type, ValueKind::kTime);
        } else if (node.function == "add_months") {
            const bool first = &argument == &node.arguments.front();
            want(argument.value, type, first ? ValueKind::kTime : ValueKind::kNumber);
        } else if (node.function == "without" && &argument == &node.arguments.front()) {
            want(argument.value, type, ValueKind::kList);
        }
    }

    Type match(CallNode& node, Expr& expr, const Type& expected) {
        if (node.arguments.empty()) {
            return {};
        }
        const auto selector = run(node.arguments[0].value, {});
        Type joined{ValueKind::kNull};
        for (std::size_t at = 1; at < node.arguments.size(); ++at) {
            const auto& argument = node.arguments[at];
            if (argument.name.empty()) {
                error("E05", *argument.value, "match() needs value: result");
            } else if (is_enum(selector) && !has_value(selector, argument.name)) {
                unknown_value(argument.name, expr, selector);
            }
            joined = join(joined, run(argument.value, expected));
        }
        return joined;
    }

    // Roles are names of their own, neither attributes nor enum values.
    Type role(CallNode& node, Expr& expr) {
        for (const auto& argument : node.arguments) {
            if (auto* name = std::get_if<NameNode>(&argument.value->node)) {
                name->meaning = NameNode::Meaning::kEnumValue;
                argument.value->type = {ValueKind::kText};
            } else {
                error("E05", expr, "role() takes names of roles");
            }
        }
        return boolean_type();
    }

    const Scope& scope_;
    Diagnostics& diagnostics_;
};

void collect_attributes(const ExprPtr& root, const Entity& entity, std::set<std::string>& found) {
    walk(root, [&](const Expr& expr) {
        const auto* name = std::get_if<NameNode>(&expr.node);
        if (name == nullptr || name->meaning == NameNode::Meaning::kEnumValue) {
            return;
        }
        const auto* attribute = entity.find_attribute(name->name);
        if (attribute != nullptr && found.insert(name->name).second && attribute->is) {
            collect_attributes(attribute->is->root, entity, found);
        }
    });
}

}  // namespace

Type resolve(
    const ExprPtr& expr, const Scope& scope, const Type& expected, Diagnostics& diagnostics
) {
    return Resolver(scope, diagnostics).run(expr, expected);
}

Type resolve(
    const Expression& expression, const Scope& scope, const Type& expected, Diagnostics& diagnostics
) {
    return resolve(expression.root, scope, expected, diagnostics);
}

std::vector<std::string> attributes_read(const ExprPtr& expr, const Entity& entity) {
    std::set<std::string> found;
    collect_attributes(expr, entity, found);
    return {found.begin(), found.end()};
}

std::vector<std::string> attributes_read(const Expression& expression, const Entity& entity) {
    return attributes_read(expression.root, entity);
}

}  // namespace gateleg::model

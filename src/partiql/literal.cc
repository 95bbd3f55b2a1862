#include "partiql/literal.h"

#include <algorithm>
#include <string>
#include <utility>

#include "partiql/errors.h"

namespace gateleg::partiql {
namespace {

using value::AttributeValue;

// How deep lists and maps may lie in each other, the item not counted.
constexpr int kMaxDepth = 31;

Error too_deep() {
    return validation_error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
        "beyond supported limit"
    );
}

Result<void> check_depth(const AttributeValue& value, int depth) {
    if (depth > kMaxDepth) {
        return too_deep();
    }
    if (const auto* list = std::get_if<value::List>(&value.data)) {
        for (const auto& element : *list) {
            GATELEG_TRY(check_depth(element, depth + 1));
        }
    } else if (const auto* map = std::get_if<value::Map>(&value.data)) {
        for (const auto& [name, member] : *map) {
            GATELEG_TRY(check_depth(member, depth + 1));
        }
    }
    return {};
}

class Evaluator {
public:
    explicit Evaluator(const Parameters& parameters) : parameters_(parameters) {}

    // `where` is how messages name the place inside the value: "root.x[1]".
    Result<AttributeValue> value(const Expr& expr, const std::string& where) {
        switch (expr.kind) {
            case ExprKind::kString:
                return AttributeValue{expr.text};
            case ExprKind::kNumber:
                return number(expr, where);
            case ExprKind::kBoolean:
                return AttributeValue{expr.boolean};
            case ExprKind::kNull:
                return AttributeValue{value::Null{}};
            case ExprKind::kParameter:
                if (expr.parameter >= parameters_.size()) {
                    return parameter_count_differs();
                }
                return parameters_[expr.parameter];
            case ExprKind::kList:
                return list(expr, where);
            case ExprKind::kStruct:
                return map(expr, where);
            case ExprKind::kBag:
                return set(expr);
            case ExprKind::kCall:
                return validation_error(
                    "Unsupported data type: " + expr.text + " under key root" + at(expr.at)
                );
            default:
                return unexpected_component(expr.at);
        }
    }

private:
    static Result<AttributeValue> number(const Expr& expr, const std::string& where) {
        auto parsed = value::Number::parse(expr.text);
        if (!parsed) {
            auto error = std::move(parsed).error();
            error.message += " under " + where;
            return error;
        }
        return AttributeValue{*parsed};
    }

    Result<AttributeValue> list(const Expr& expr, const std::string& where) {
        value::List elements;
        for (const auto& child : expr.children) {
            GATELEG_TRY_ASSIGN(
                auto element, value(child, where + "[" + std::to_string(elements.size()) + "]")
            );
            elements.push_back(std::move(element));
        }
        return AttributeValue{std::move(elements)};
    }

    Result<AttributeValue> map(const Expr& expr, const std::string& where) {
        value::Map members;
        for (std::size_t i = 0; i < expr.children.size(); ++i) {
            GATELEG_TRY_ASSIGN(auto member, value(expr.children[i], where + "." + expr.names[i]));
            if (!members.emplace(expr.names[i], std::move(member)).second) {
                return validation_error("Duplicate attribute name: " + expr.names[i]);
            }
        }
        return AttributeValue{std::move(members)};
    }

    static Error duplicates(const std::string& members) {
        return validation_error(
            "One or more parameter values were invalid: Input collection [" + members +
            "] contains duplicates."
        );
    }

    Result<AttributeValue> set(const Expr& expr) {
        if (expr.children.empty()) {
            return validation_error("Empty bags are not supported");
        }
        value::StringSet strings;
        value::NumberSet numbers;
        std::string members;
        for (const auto& child : expr.children) {
            if (child.kind == ExprKind::kString) {
                strings.insert(child.text);
                members += (members.empty() ? "" : ", ") + child.text;
            } else if (child.kind == ExprKind::kNumber) {
                GATELEG_TRY_ASSIGN(const auto member, number(child, "root"));
                numbers.insert(std::get<value::Number>(member.data));
                members +=
                    (members.empty() ? "" : ", ") + std::get<value::Number>(member.data).to_text();
            }
        }
        const auto count = expr.children.size();
        if (strings.size() == count) {
            return AttributeValue{std::move(strings)};
        }
        if (numbers.size() == count) {
            return AttributeValue{std::move(numbers)};
        }
        const auto is_kind = [&](ExprKind kind) {
            return std::all_of(expr.children.begin(), expr.children.end(), [&](const Expr& child) {
                return child.kind == kind;
            });
        };
        if (is_kind(ExprKind::kString) || is_kind(ExprKind::kNumber)) {
            return duplicates(members);
        }
        return validation_error(
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
        );
    }

    const Parameters& parameters_;
};

}  // namespace

bool is_constant(const Expr& expr) {
    switch (expr.kind) {
        case ExprKind::kString:
        case ExprKind::kNumber:
        case ExprKind::kBoolean:
        case ExprKind::kNull:
        case ExprKind::kParameter:
        case ExprKind::kList:
        case ExprKind::kStruct:
        case ExprKind::kBag:
            return true;
        default:
            return false;
    }
}

Result<AttributeValue> evaluate(const Expr& expr, const Parameters& parameters) {
    auto result = Evaluator(parameters).value(expr, "root");
    if (result) {
        GATELEG_TRY(check_depth(*result, 0));
    }
    return result;
}

Result<value::Item> evaluate_item(const Expr& expr, const Parameters& parameters) {
    value::Item item;
    if (expr.kind == ExprKind::kStruct) {
        for (std::size_t i = 0; i < expr.children.size(); ++i) {
            GATELEG_TRY_ASSIGN(auto attribute, evaluate(expr.children[i], parameters));
            if (!item.emplace(expr.names[i], std::move(attribute)).second) {
                return validation_error("Duplicate attribute name: " + expr.names[i]);
            }
        }
        return item;
    }
    GATELEG_TRY_ASSIGN(auto found, evaluate(expr, parameters));
    if (auto* attributes = std::get_if<value::Map>(&found.data)) {
        return std::move(*attributes);
    }
    return validation_error("The value of INSERT must be a tuple" + at(expr.at));
}

}  // namespace gateleg::partiql

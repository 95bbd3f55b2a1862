#include "partiql/expression_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "partiql/errors.h"

namespace gateleg::partiql {
namespace {

struct Predicate {
    std::string_view name;
    std::size_t operands;
};
constexpr std::array kPredicates = {
    Predicate{"attribute_exists", 1},
    Predicate{"attribute_not_exists", 1},
    Predicate{"attribute_type", 2},
    Predicate{"begins_with", 2},
    Predicate{"contains", 2},
};

const Predicate* find_predicate(std::string_view name) {
    const auto* found = std::find_if(kPredicates.begin(), kPredicates.end(), [&](const auto& each) {
        return each.name == name;
    });
    return found == kPredicates.end() ? nullptr : found;
}

bool is_predicate(const Expr& expr) {
    return expr.kind == ExprKind::kCall && find_predicate(expr.text) != nullptr;
}

Error wrong_count(const Expr& call) {
    return validation_error(
        "Incorrect number of operands for operator or function; operator or function: " +
        call.text + ", number of operands: " + std::to_string(call.children.size())
    );
}

bool is_set_function(const Expr& expr) {
    return expr.kind == ExprKind::kCall && (expr.text == "set_add" || expr.text == "set_delete");
}

}  // namespace

std::string ExpressionText::name(const std::string& attribute) {
    for (const auto& [placeholder, known] : names_) {
        if (known == attribute) {
            return placeholder;
        }
    }
    names_.emplace_back("#" + std::to_string(names_.size()), attribute);
    return names_.back().first;
}

std::string ExpressionText::value(value::AttributeValue value) {
    auto placeholder = ":" + std::to_string(values_.size());
    values_.emplace(placeholder, std::move(value));
    return placeholder;
}

std::string ExpressionText::path(const Path& path) {
    std::string text;
    for (const auto& step : path.steps) {
        if (step.is_index) {
            text += "[" + std::to_string(step.index) + "]";
        } else {
            text += (text.empty() ? "" : ".") + name(step.name);
        }
    }
    return text;
}

dynamo::Placeholders ExpressionText::placeholders() const {
    dynamo::Placeholders made;
    if (!names_.empty()) {
        made.names = names_;
    }
    if (!values_.empty()) {
        made.values = value::encode_item(values_);
    }
    return made;
}

Result<std::string> ExpressionText::condition(const Expr& expr) {
    return render(expr, Level::kOr);
}

Result<std::string> ExpressionText::conditions(const std::vector<const Expr*>& exprs) {
    std::string text;
    for (const auto* expr : exprs) {
        GATELEG_TRY_ASSIGN(const auto part, render(*expr, Level::kAnd));
        text += (text.empty() ? "" : " AND ") + part;
    }
    return text;
}

Result<std::string> ExpressionText::render(const Expr& expr, Level around) {
    switch (expr.kind) {
        case ExprKind::kAnd:
        case ExprKind::kOr:
            return joined(expr, around);
        case ExprKind::kNot: {
            GATELEG_TRY_ASSIGN(const auto inner, render(expr.children[0], Level::kNot));
            return "NOT " + inner;
        }
        case ExprKind::kCompare:
            return compared(expr, around);
        case ExprKind::kBetween: {
            GATELEG_TRY_ASSIGN(const auto tested, operand(expr.children[0]));
            GATELEG_TRY_ASSIGN(const auto lower, operand(expr.children[1]));
            GATELEG_TRY_ASSIGN(const auto upper, operand(expr.children[2]));
            return tested + " BETWEEN " + lower + " AND " + upper;
        }
        case ExprKind::kIn:
            return in(expr);
        case ExprKind::kIsMissing: {
            GATELEG_TRY_ASSIGN(const auto tested, operand(expr.children[0]));
            return "attribute_not_exists(" + tested + ")";
        }
        case ExprKind::kIsNull:
        case ExprKind::kIsType:
            return is_type(expr, around);
        case ExprKind::kCall:
            return predicate(expr);
        default:
            return unexpected_component(expr.at);
    }
}

Result<std::string> ExpressionText::joined(const Expr& expr, Level around) {
    const auto level = expr.kind == ExprKind::kAnd ? Level::kAnd : Level::kOr;
    std::string text;
    for (const auto& child : expr.children) {
        GATELEG_TRY_ASSIGN(const auto part, render(child, level));
        text += (text.empty() ? "" : level == Level::kAnd ? " AND " : " OR ") + part;
    }
    return around > level ? "(" + text + ")" : text;
}

Result<std::string> ExpressionText::compared(const Expr& expr, Level around) {
    const auto& left = expr.children[0];
    const auto& right = expr.children[1];
    // A function that answers yes or no, compared with a literal.
    const bool is_equality = expr.text == "=" || expr.text == "<>";
    if (is_equality && is_predicate(left) && right.kind == ExprKind::kBoolean) {
        GATELEG_TRY_ASSIGN(const auto inner, render(left, around));
        return right.boolean == (expr.text == "=") ? inner : "NOT " + inner;
    }
    GATELEG_TRY_ASSIGN(const auto first, operand(left));
    GATELEG_TRY_ASSIGN(const auto second, operand(right));
    return first + " " + expr.text + " " + second;
}

Result<std::string> ExpressionText::in(const Expr& expr) {
    GATELEG_TRY_ASSIGN(const auto tested, operand(expr.children[0]));
    const auto& list = expr.children[1];
    std::string text;
    const auto add = [&](const std::string& member) {
        text += (text.empty() ? "" : ", ") + member;
    };
    if (list.kind == ExprKind::kList) {
        for (const auto& member : list.children) {
            GATELEG_TRY_ASSIGN(const auto rendered, operand(member));
            add(rendered);
        }
    } else {
        GATELEG_TRY_ASSIGN(auto found, evaluate(list, parameters_));
        auto* members = std::get_if<value::List>(&found.data);
        if (members == nullptr) {
            return validation_error("The right-hand side of IN must be a list" + at(list.at));
        }
        for (auto& member : *members) {
            add(value(std::move(member)));
        }
    }
    if (text.empty()) {
        return validation_error("The right-hand side of IN must not be empty" + at(list.at));
    }
    return tested + " IN (" + text + ")";
}

Result<std::string> ExpressionText::is_type(const Expr& expr, Level around) {
    GATELEG_TRY_ASSIGN(const auto tested, operand(expr.children[0]));
    const auto test = [&](std::string type) {
        return "attribute_type(" + tested + ", " + value({std::move(type)}) + ")";
    };
    if (expr.kind == ExprKind::kIsNull) {
        return test("NULL");
    }
    if (expr.text != "BAG") {
        return test(expr.text);
    }
    const auto any = test("SS") + " OR " + test("NS") + " OR " + test("BS");
    return around > Level::kOr ? "(" + any + ")" : any;
}

Result<std::string> ExpressionText::predicate(const Expr& call) {
    const auto* known = find_predicate(call.text);
    if (known == nullptr) {
        return unrecognized_function(call);
    }
    if (call.children.size() != known->operands) {
        return wrong_count(call);
    }
    std::string text;
    for (const auto& child : call.children) {
        GATELEG_TRY_ASSIGN(const auto rendered, operand(child));
        text += (text.empty() ? "" : ", ") + rendered;
    }
    return call.text + "(" + text + ")";
}

Result<std::string> ExpressionText::operand(const Expr& expr) {
    if (expr.kind == ExprKind::kPath) {
        return path(expr.path);
    }
    if (expr.kind == ExprKind::kCall && expr.text == "size") {
        if (expr.children.size() != 1) {
            return wrong_count(expr);
        }
        GATELEG_TRY_ASSIGN(const auto inner, operand(expr.children[0]));
        return "size(" + inner + ")";
    }
    if (expr.kind == ExprKind::kCall) {
        return unrecognized_function(expr);
    }
    if (!is_constant(expr)) {
        return unexpected_component(expr.at);
    }
    GATELEG_TRY_ASSIGN(auto found, evaluate(expr, parameters_));
    return value(std::move(found));
}

Result<std::string> ExpressionText::update(const std::vector<Assignment>& assignments) {
    // In the order that an update expression is commonly written.
    std::array<std::string, 4> sections;
    constexpr std::array<std::string_view, 4> kWords = {"SET ", "REMOVE ", "ADD ", "DELETE "};
    const auto add = [&](std::size_t section, const std::string& action) {
        sections[section] += (sections[section].empty() ? "" : ", ") + action;
    };
    for (const auto& assignment : assignments) {
        if (!assignment.value) {
            add(1, path(assignment.target));
        } else if (is_set_function(*assignment.value)) {
            GATELEG_TRY_ASSIGN(const auto action, set_change(assignment));
            add(assignment.value->text == "set_add" ? 2 : 3, action);
        } else {
            GATELEG_TRY_ASSIGN(const auto assigned_value, assigned(*assignment.value));
            add(0, path(assignment.target) + " = " + assigned_value);
        }
    }
    std::string text;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (!sections[i].empty()) {
            text.append(text.empty() ? "" : " ").append(kWords[i]).append(sections[i]);
        }
    }
    return text;
}

Result<std::string> ExpressionText::assigned(const Expr& expr) {
    if (expr.kind == ExprKind::kPlus || expr.kind == ExprKind::kMinus) {
        GATELEG_TRY_ASSIGN(const auto left, assigned(expr.children[0]));
        GATELEG_TRY_ASSIGN(const auto right, assigned(expr.children[1]));
        return left + (expr.kind == ExprKind::kPlus ? " + " : " - ") + right;
    }
    if (expr.kind == ExprKind::kCall) {
        return expr.text == "list_append" ? list_append(expr) : unrecognized_function(expr);
    }
    return operand(expr);
}

Result<std::string> ExpressionText::list_append(const Expr& call) {
    if (call.children.size() != 2) {
        return wrong_count(call);
    }
    GATELEG_TRY_ASSIGN(const auto first, operand(call.children[0]));
    GATELEG_TRY_ASSIGN(const auto second, operand(call.children[1]));
    return "list_append(" + first + ", " + second + ")";
}

// SET a = set_add(a, <<..>>) adds to what is there, and is no assignment at all.
Result<std::string> ExpressionText::set_change(const Assignment& assignment) {
    const auto& call = *assignment.value;
    const std::string function = call.text == "set_add" ? "SET_ADD" : "SET_DELETE";
    if (call.children.size() != 2) {
        return validation_error(function + " must have exactly two arguments" + at(call.at));
    }
    const auto& first = call.children[0];
    if (first.kind != ExprKind::kPath || first.path.steps != assignment.target.steps) {
        return validation_error(
            "The first argument to " + function + " must equal the assignment value" + at(call.at)
        );
    }
    const auto wrong = [&] {
        return validation_error(
            "The second argument to " + function + " must be a value with type SET" + at(first.at)
        );
    };
    if (!is_constant(call.children[1])) {
        return wrong();
    }
    GATELEG_TRY_ASSIGN(auto members, evaluate(call.children[1], parameters_));
    if (!value::is_set(members.type())) {
        return wrong();
    }
    return path(assignment.target) + " " + value(std::move(members));
}

}  // namespace gateleg::partiql

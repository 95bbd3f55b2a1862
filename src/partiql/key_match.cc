#include "partiql/key_match.h"

#include <algorithm>
#include <utility>

namespace gateleg::partiql {
namespace {

bool is_attribute(const Expr& expr, std::string_view attribute) {
    return expr.kind == ExprKind::kPath && expr.path.steps.size() == 1 &&
           expr.path.steps[0].name == attribute;
}

std::vector<const Expr*> terms_of(const Expr& where, ExprKind kind) {
    if (where.kind != kind) {
        return {&where};
    }
    std::vector<const Expr*> terms;
    for (const auto& child : where.children) {
        // An inner AND in parentheses is one with the AND around it.
        const auto inner = terms_of(child, kind);
        terms.insert(terms.end(), inner.begin(), inner.end());
    }
    return terms;
}

}  // namespace

std::vector<const Expr*> terms_of_and(const Expr& where) {
    return terms_of(where, ExprKind::kAnd);
}

std::vector<const Expr*> terms_of_or(const Expr& where) {
    return terms_of(where, ExprKind::kOr);
}

const Expr* find_equal(const Expr& term, std::string_view attribute) {
    if (term.kind != ExprKind::kCompare || term.text != "=") {
        return nullptr;
    }
    const auto& left = term.children[0];
    const auto& right = term.children[1];
    if (is_attribute(left, attribute) && is_constant(right)) {
        return &right;
    }
    return is_attribute(right, attribute) && is_constant(left) ? &left : nullptr;
}

bool bounds(const Expr& term, std::string_view attribute) {
    const auto rest_is_constant = [&](std::size_t from) {
        return std::all_of(
            term.children.begin() + static_cast<std::ptrdiff_t>(from),
            term.children.end(),
            [](const Expr& child) { return is_constant(child); }
        );
    };
    switch (term.kind) {
        case ExprKind::kCompare:
            return term.text != "<>" &&
                   ((is_attribute(term.children[0], attribute) && rest_is_constant(1)) ||
                    (is_attribute(term.children[1], attribute) && is_constant(term.children[0])));
        case ExprKind::kBetween:
            return is_attribute(term.children[0], attribute) && rest_is_constant(1);
        case ExprKind::kCall:
            return term.text == "begins_with" && term.children.size() == 2 &&
                   is_attribute(term.children[0], attribute) && rest_is_constant(1);
        default:
            return false;
    }
}

Result<std::optional<std::vector<value::AttributeValue>>> find_values(
    const Expr& term, std::string_view attribute, const Parameters& parameters
) {
    using Found = std::optional<std::vector<value::AttributeValue>>;
    std::vector<value::AttributeValue> values;
    if (const auto* equal = find_equal(term, attribute)) {
        GATELEG_TRY_ASSIGN(auto found, evaluate(*equal, parameters));
        values.push_back(std::move(found));
        return Found(std::move(values));
    }
    if (term.kind == ExprKind::kOr) {
        for (const auto& child : term.children) {
            GATELEG_TRY_ASSIGN(auto found, find_values(child, attribute, parameters));
            if (!found) {
                return Found();
            }
            std::move(found->begin(), found->end(), std::back_inserter(values));
        }
        return Found(std::move(values));
    }
    if (term.kind == ExprKind::kIn && is_attribute(term.children[0], attribute) &&
        is_constant(term.children[1])) {
        const auto& list = term.children[1];
        if (list.kind == ExprKind::kList &&
            !std::all_of(list.children.begin(), list.children.end(), is_constant)) {
            return Found();
        }
        GATELEG_TRY_ASSIGN(auto found, evaluate(list, parameters));
        if (auto* members = std::get_if<value::List>(&found.data)) {
            return Found(std::move(*members));
        }
    }
    return Found();
}

Result<std::optional<KeyMatch>> match_key(
    const std::optional<Expr>& where, const dynamo::KeySchema& schema, const Parameters& parameters
) {
    if (!where) {
        return std::optional<KeyMatch>();
    }
    value::Item key;
    KeyMatch match;
    for (const auto* term : terms_of_and(*where)) {
        bool is_key = false;
        for (const auto& element : schema) {
            const auto* constant = find_equal(*term, element.attribute);
            if (constant != nullptr && !key.contains(element.attribute)) {
                GATELEG_TRY_ASSIGN(auto found, evaluate(*constant, parameters));
                key.emplace(element.attribute, std::move(found));
                is_key = true;
            }
        }
        if (!is_key) {
            match.rest.push_back(term);
        }
    }
    if (key.size() != schema.size()) {
        return std::optional<KeyMatch>();
    }
    match.key = value::encode_item(key);
    return std::optional<KeyMatch>(std::move(match));
}

}  // namespace gateleg::partiql

// What a WHERE clause says about the attributes of a key.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/schema.h"
#include "partiql/ast.h"
#include "partiql/literal.h"
#include "value/value_view.h"

namespace gateleg::partiql {

// The terms that must all hold; they point into `where`.
std::vector<const Expr*> terms_of_and(const Expr& where);
// The terms of which one must hold.
std::vector<const Expr*> terms_of_or(const Expr& where);

// `attribute = constant`, in either order: the constant.
const Expr* find_equal(const Expr& term, std::string_view attribute);
// Whether `term` bounds the attribute in a way that a key condition can: a comparison other than
// <>, BETWEEN, or begins_with.
bool bounds(const Expr& term, std::string_view attribute);

// The values that the attribute can have where `term` holds: of an equality, of IN, or of an OR of
// such. None if it may have any.
Result<std::optional<std::vector<value::AttributeValue>>> find_values(
    const Expr& term, std::string_view attribute, const Parameters& parameters
);

// A single item: an equality on each key attribute, and the terms beside them.
struct KeyMatch {
    value::EncodedItem key;
    std::vector<const Expr*> rest;
};
// None when an equality is missing.
Result<std::optional<KeyMatch>> match_key(
    const std::optional<Expr>& where, const dynamo::KeySchema& schema, const Parameters& parameters
);

}  // namespace gateleg::partiql

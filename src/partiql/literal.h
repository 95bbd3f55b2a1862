// What the literals and parameters of a statement stand for.

#pragma once

#include <vector>

#include "base/result.h"
#include "partiql/ast.h"
#include "value/attribute_value.h"

namespace gateleg::partiql {

using Parameters = std::vector<value::AttributeValue>;

// Whether `expr` is a value whatever the item: a literal or a parameter.
bool is_constant(const Expr& expr);

// The value of a constant. Fails for anything else, and for literals that DynamoDB cannot hold.
// Each ? must have its parameter.
Result<value::AttributeValue> evaluate(const Expr& expr, const Parameters& parameters);

// The item that an INSERT writes: each attribute is a value of its own, also in messages.
Result<value::Item> evaluate_item(const Expr& expr, const Parameters& parameters);

}  // namespace gateleg::partiql

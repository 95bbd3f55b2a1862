// What value::Number leaves out: products and quotients.

#pragma once

#include "base/result.h"
#include "value/number.h"

namespace gateleg::model {

Result<value::Number> multiply(const value::Number& left, const value::Number& right);
// Exact where that needs no more than 20 decimals, otherwise cut there.
Result<value::Number> divide(const value::Number& left, const value::Number& right);
value::Number negate(const value::Number& number);

}  // namespace gateleg::model

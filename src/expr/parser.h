// Parses an expression's text: the grammar, and every check that needs no names or values.

#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "expr/ast.h"

namespace gateleg::expr {

inline constexpr std::size_t kMaxExpressionBytes = 4096;
inline constexpr unsigned kMaxOperators = 300;
inline constexpr std::size_t kMaxInOperands = 100;
inline constexpr std::size_t kMaxPathSteps = 32;

// In DynamoDB's order: size, syntax, then reserved words and the use of functions (check_text).
Result<std::shared_ptr<const Tree>> parse(Kind kind, std::string_view text);

// What is wrong with a tree whatever the names and values are. parse() has called it.
Result<void> check_text(const Tree& tree);

}  // namespace gateleg::expr

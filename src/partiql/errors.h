// DynamoDB's texts for statements that it refuses.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "partiql/ast.h"

namespace gateleg::partiql {

// "Statement wasn't well formed, can't be processed: " and what is wrong; it may be nothing.
Error malformed(std::string_view detail = "");

// " at 1:8:3"
std::string at(const Position& position);

Error missing_key_equality();
Error parameter_count_differs();
Error unrecognized_function(const Expr& call);
Error unexpected_component(const Position& position);
Error duplicate_item();

// An error of an expression in the words of a statement: without the name of the parameter.
Error in_statement_words(Error error);

}  // namespace gateleg::partiql

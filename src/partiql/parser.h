// Parses the statements that DynamoDB's PartiQL has: SELECT, INSERT, UPDATE, DELETE and, for
// transactions, EXISTS.

#pragma once

#include <string_view>

#include "base/result.h"
#include "partiql/ast.h"

namespace gateleg::partiql {

// Everything that needs neither parameters nor a table is checked.
Result<Statement> parse(std::string_view text);

}  // namespace gateleg::partiql

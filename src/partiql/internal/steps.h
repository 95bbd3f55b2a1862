// Steps that the PartiQL operations share.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"
#include "dynamo/dynamo.h"
#include "partiql/ast.h"
#include "partiql/requests.h"

namespace gateleg::partiql {

using Table = std::shared_ptr<const dynamo::TableDescription>;

// Parses, and checks that every ? has its parameter and every parameter its ?.
Result<Statement> parse_with_parameters(const ParameterizedStatement& statement);

// A table that does not exist is told without its name, as statements tell it.
void find_table(
    dynamo::Dynamo& dynamo, const std::string& name, UniqueFunction<void(Result<Table>)> done
);

// Appends, as an item, what the columns of a SELECT are in `item`: each under the last name of its
// path, "b[0]" for a.b[0]. No columns means the item itself.
void append_columns(std::string& out, const std::vector<Path>& columns, value::ValueView item);

// The write as a call of its own.
void run_write(
    dynamo::Dynamo& dynamo,
    const Statement& statement,
    const ParameterizedStatement& source,
    const dynamo::TableDescription& table,
    dynamo::ReturnCapacity return_capacity,
    dynamo::Done<dynamo::PutItemRequest> done
);

// Adds what another call cost.
void add_capacity(
    std::optional<dynamo::ConsumedCapacity>& sum,
    const std::optional<dynamo::ConsumedCapacity>& more
);

}  // namespace gateleg::partiql

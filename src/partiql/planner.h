// From a statement and the table it names to calls of Dynamo.
//
// A SELECT becomes one Query for each partition that its WHERE names, or a Scan; the WHERE as a
// whole is then asked of each item read, so that a plan can only be slow and never wrong.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/requests.h"
#include "dynamo/schema.h"
#include "partiql/ast.h"
#include "partiql/literal.h"
#include "value/attribute_value.h"

namespace gateleg::partiql {

// One partition, and the terms of the WHERE that bound its sort key.
struct KeyRange {
    value::Item hash;
    std::vector<const Expr*> sort;
};

// Points into the statement it was made of.
struct SelectPlan {
    bool is_scan = false;
    std::vector<KeyRange> ranges;
    bool forward = true;
    dynamo::Select select = dynamo::Select::kUnset;
};

Result<SelectPlan> plan_select(
    const Statement& statement,
    const Parameters& parameters,
    const dynamo::TableDescription& table,
    bool consistent_read
);

// The key of the one item that a SELECT reads in a batch or a transaction. `operation` is for the
// message: "BatchExecuteStatement".
Result<value::EncodedItem> plan_get(
    const Statement& statement,
    const Parameters& parameters,
    const dynamo::TableDescription& table,
    std::string_view operation
);

// INSERT, UPDATE, DELETE and EXISTS as an action of a transaction, which a single write is too.
struct WritePlan {
    dynamo::TransactWriteItemsRequest::Action action;
    dynamo::ReturnValues return_values = dynamo::ReturnValues::kNone;
};
Result<WritePlan> plan_write(
    const Statement& statement, const Parameters& parameters, const dynamo::TableDescription& table
);

}  // namespace gateleg::partiql

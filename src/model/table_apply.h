// Reads the state of a model's table from a store, and carries a plan for it out. Calls block: for
// start-up and commands.

#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "model/schema.h"
#include "model/table_plan.h"

namespace gateleg::model {

Result<TableState> read_table_state(const Table& table, dynamo::Dynamo& dynamo);

struct ApplyHooks {
    // Before each change.
    std::function<void(const TableChange&)> starting = {};
    // Now and then while the store is at work on the table or an index.
    std::function<void(const std::string& what)> waiting = {};
};

// Makes the changes one after the other, each when the one before it is finished: stores take one
// change of a table at a time. What was made stays when a later one fails; plan again then.
Result<void> apply_plan(
    const Table& table, const TablePlan& plan, dynamo::Dynamo& dynamo, const ApplyHooks& hooks = {}
);

// Until the table and each of its indexes is active, and none is on its way out. `what` is for the
// error if that takes more than a day.
Result<void> wait_until_settled(
    const std::string& table,
    const std::string& what,
    dynamo::Dynamo& dynamo,
    const ApplyHooks& hooks = {}
);

}  // namespace gateleg::model

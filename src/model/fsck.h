// Compares the items of a table with what the model says they must be.

#pragma once

#include "model/database.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

// Reads the whole table and keeps the rows it expects in memory. Writes nothing. Items that are
// written meanwhile may be reported though they are right: run it again. `orphans` takes every row
// that no owner asks for, as it was read.
CallResult<FsckReport> run_fsck(
    Shared& shared,
    Database& database,
    std::size_t most,
    std::vector<value::Item>* orphans = nullptr
);

}  // namespace gateleg::model

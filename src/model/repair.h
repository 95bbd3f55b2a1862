// Puts right what fsck finds and the model can decide: stale keys, missing rows, rows without an
// owner.

#pragma once

#include <functional>
#include <string_view>

#include "model/backfill.h"
#include "model/database.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

struct RepairReport {
    BackfillReport rewritten = {};
    std::int64_t orphans_deleted = 0;
    FsckReport left = {};  // what is still wrong
};

// Reads the table several times. A row goes only when two readings found no owner for it and it has
// not changed since; in case an owner came just then, rows are completed once more after that.
CallResult<RepairReport> run_repair(
    Shared& shared,
    Database& database,
    std::size_t most,
    const std::function<void(std::string_view stage)>& on_stage = {}
);

}  // namespace gateleg::model

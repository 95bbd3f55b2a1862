// Runs a part of a job: walks its source, judges `when`, and calls its operation for each item.

#pragma once

#include <functional>

#include "model/call.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

// Fails as a whole only on what would fail for the next item as well (bad inputs or cursor, a
// store that does not answer); an item that the operation refuses is counted.
using RunOperation = std::function<
    CallResult<OperationReply>(const Operation&, const OperationCall&, const Caller&)>;
CallResult<JobReport> run_job(
    Shared& shared,
    const Job& job,
    const JobCall& call,
    const Caller& caller,
    const RunOperation& run
);

}  // namespace gateleg::model

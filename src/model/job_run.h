// Runs a part of a job: walks its source, judges `when`, and calls its operation for each item.

#pragma once

#include <functional>

#include "model/call.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

// Runs an operation, whether its body is in the model or in C++.
using OperationRunner = std::function<
    CallResult<OperationReply>(const Operation&, const OperationCall&, const Caller&)>;

// Fails as a whole only on what would fail for the next item as well (bad inputs or cursor, a
// store that does not answer); an item that the operation refuses is counted.
CallResult<JobReport> run_job(
    Shared& shared,
    const OperationRunner& run,
    const Job& job,
    const JobCall& call,
    const Caller& caller
);

}  // namespace gateleg::model

// Runs an operation whose body is C++.

#pragma once

#include "model/call.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

// Access and inputs are judged as for any operation.
CallResult<OperationReply> run_native(
    Shared& shared, const Operation& operation, const OperationCall& call, const Caller& caller
);

}  // namespace gateleg::model

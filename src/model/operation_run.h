// Runs an operation: inputs, reads, one transaction, and again where somebody else was first.

#pragma once

#include "model/call.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

CallResult<OperationReply> run_operation(
    Shared& shared,
    const Operation& operation,
    const OperationCall& call,
    const Caller& caller,
    Explained* explained
);

}  // namespace gateleg::model

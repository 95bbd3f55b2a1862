// The inputs of an operation, from the arguments of a call.

#pragma once

#include <set>
#include <string>

#include "model/call.h"
#include "model/evaluate.h"
#include "model/schema.h"

namespace gateleg::model {

// Checks and normalises the arguments and puts every input into `environment`, one without a value
// as its default or null. `given` gets the names that were given. Fails with every bad field.
CallResult<Nothing> read_inputs(
    const Operation& operation,
    const OperationCall& call,
    Environment& environment,
    std::set<std::string, std::less<>>& given
);

}  // namespace gateleg::model

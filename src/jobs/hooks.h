// What a system is told when a row of its outbox has been delivered, or given up.
//
// A rule names the operation; it gets those of its inputs that the payload or the answer holds
// under that name. Without a rule, a model says it by the names of its operations: the kind
// `parcel-call` leads to `parcelCallDelivered` and `parcelCallFailed`, where it has them.

#pragma once

#include <string>
#include <string_view>

#include "jobs/deliveries.h"
#include "model/runtime.h"

namespace gateleg::jobs {

// Registers the rules of the included systems.
void add_hooks(Deliveries& deliveries);

// Those registered, else those that the names of operations say. One whose operation the model
// does not have does nothing.
Hook find_hook(const Deliveries& deliveries, const std::string& system, const std::string& kind);
Hook find_failure_hook(
    const Deliveries& deliveries, const std::string& system, const std::string& kind
);

// Calls an internal operation of the model with what it can know.
Hook call_operation(std::string operation, value::Map fixed = {});

// "parcelCall" of "parcel-call".
std::string camel_case(std::string_view kind);

}  // namespace gateleg::jobs

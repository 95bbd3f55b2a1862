// Lists of the gallery from beginning to end, for work that touches every item of one.

#pragma once

#include <functional>
#include <string_view>

#include "model/runtime.h"

namespace gateleg::systems::gallery {

using Visit = std::function<model::CallResult<model::Nothing>(const value::Item&)>;

// Calls `visit` for each item, page after page; the first error ends it. Items that `visit`
// deletes are no trouble: a cursor is a place, not a count.
model::CallResult<model::Nothing> walk(
    model::Runtime& runtime,
    std::string_view pattern,
    model::Arguments arguments,
    const Visit& visit
);

// How many there are, and nothing but their number.
model::CallResult<std::int64_t> count(
    model::Runtime& runtime, std::string_view pattern, model::Arguments arguments
);

// Runs an operation as the system itself, or in the name of a user.
model::CallResult<model::OperationReply> run(
    model::Runtime& runtime, std::string_view operation, model::Arguments arguments
);
model::CallResult<model::OperationReply> run_as(
    model::Runtime& runtime,
    std::string_view operation,
    model::Arguments arguments,
    std::string user
);

// A member of the map that an operation answered with; empty if there is none.
std::string member(const model::OperationReply& reply, std::string_view name);

}  // namespace gateleg::systems::gallery

// Runs a pattern: a get, or a query with pages that are filled after filtering.

#pragma once

#include "model/call.h"
#include "model/database.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

CallResult<Page> run_query(
    Shared& shared,
    Database& database,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller
);

// Of a `get` or `one` pattern.
CallResult<Found> run_get(
    Shared& shared,
    Database& database,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller
);

}  // namespace gateleg::model

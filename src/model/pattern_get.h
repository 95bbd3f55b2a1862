// Runs a `get` pattern: one item by its key, and what belongs to it.

#pragma once

#include "model/call.h"
#include "model/database.h"
#include "model/evaluate.h"
#include "model/runtime_shared.h"

namespace gateleg::model {

CallResult<Found> run_get_pattern(
    Shared& shared,
    Database& database,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller
);

// 404 <Entity>NotFound.
CallError pattern_not_found(const Pattern& pattern);

// What a list and a get ask of each item. `environment` is without an item, before and after.
bool is_wanted_by(const Pattern& pattern, Environment& environment, const value::Item& attributes);
bool is_seen_by(
    const Pattern& pattern, const Found& found, const Caller& caller, Environment& environment
);

}  // namespace gateleg::model

// `within`: the item that a result belongs to, such as the album of its media. Who does not see
// the one does not see the other.

#pragma once

#include <vector>

#include "model/call.h"
#include "model/database.h"
#include "model/evaluate.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// True if what the caller gives names the item: then it is one for the whole list, and a list
// within what nobody sees is a 404.
bool is_named_by_call(const Pattern& pattern);

// Of such a pattern: 404 unless the caller sees the item that `known` names. Internal callers see
// all.
CallResult<Nothing> require_within(
    Database& database,
    const Model& model,
    const Pattern& pattern,
    const value::Item& known,
    const Caller& caller,
    const Environment& environment
);

// Whether the caller sees the item that each result belongs to.
CallResult<std::vector<bool>> see_within(
    Database& database,
    const Model& model,
    const Pattern& pattern,
    const std::vector<Found>& results,
    const Caller& caller,
    const Environment& environment
);

}  // namespace gateleg::model

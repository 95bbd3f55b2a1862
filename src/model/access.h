// Who may call, and which items a caller sees.

#pragma once

#include <optional>
#include <string>

#include "model/call.h"
#include "model/evaluate.h"
#include "model/schema.h"

namespace gateleg::model {

// 401 Unauthenticated or 403 Forbidden, or nothing if the caller may.
std::optional<CallError> find_denial(const Access& access, const Caller& caller);

// What expressions know before any input: the time, the caller and the constants of the model.
Environment make_environment(const Model& model, const Caller& caller, std::int64_t now_millis);

// `attributes` as entity_keys.h has them. An entity without `visible` is seen by whoever may call.
bool is_visible(
    const Entity& entity,
    const value::Item& attributes,
    const Caller& caller,
    const Environment& environment
);

// The API form of an item, limited to the entity's `public` attributes where `full` does not hold.
value::AttributeValue show_item(
    const Model& model,
    const Entity& entity,
    const value::Item& attributes,
    const Caller& caller,
    const Environment& environment
);

}  // namespace gateleg::model

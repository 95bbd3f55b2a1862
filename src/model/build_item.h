// An item in its stored form from the attributes it was given: defaults, derived attributes, keys.

#pragma once

#include <string>

#include "base/result.h"
#include "model/evaluate.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Attributes by name in stored form, key-only and derived ones among them. What is absent or null
// has no value. `shard` may be given as well.
using Attributes = value::Item;

// Gives attributes without a value their default.
Result<void> apply_defaults(
    const Entity& entity, Attributes& attributes, const Environment& environment
);

// Computes every derived attribute anew, those that are not stored included.
Result<void> derive(const Entity& entity, Attributes& attributes, const Environment& environment);

// The key attributes: all synthetic keys of an index, or none of them. The primary key is missing
// only if one of its variables has no value. Plain keys are attributes and not repeated.
Result<value::Item> render_keys(
    const Model& model,
    const Entity& entity,
    const Attributes& attributes,
    const Environment& environment
);

// What is written to the table: keys, marker, and the attributes that are stored.
value::Item stored_item(
    const Model& model, const Entity& entity, const Attributes& attributes, value::Item keys
);

// All of these in order.
Result<value::Item> build_item(
    const Model& model, const Entity& entity, Attributes given, const Environment& environment
);

// The other way: the attributes of an item that was read, those of its primary key included.
// Nothing if the keys or the marker are not those of the entity.
std::optional<Attributes> take_apart(
    const Model& model, const Entity& entity, const value::Item& item
);

}  // namespace gateleg::model

// Items that nobody else needs any more, changed in place: what entity_keys.h, item_codec.h and
// access.h do to a copy. Lists are made of these.

#pragma once

#include "model/access.h"
#include "model/entity_keys.h"
#include "model/item_codec.h"

namespace gateleg::model {

value::Item to_attributes(const Model& model, const Entity& entity, value::Item&& raw);

value::AttributeValue value_to_api(const Attribute* attribute, value::AttributeValue&& stored);
value::AttributeValue item_to_api(const Model& model, const Entity& entity, value::Item&& stored);

value::AttributeValue show_item(
    const Model& model,
    const Entity& entity,
    value::Item&& attributes,
    const Caller& caller,
    const Environment& environment
);

// What a pattern shows of it: `returns` where the pattern has it, else as show_item().
value::AttributeValue show_of_pattern(
    const Model& model,
    const Pattern& pattern,
    const Entity& entity,
    value::Item&& attributes,
    const Caller& caller,
    std::int64_t now_millis
);

}  // namespace gateleg::model

// Who may see a change: whoever could read the item by a pattern of the model.
//
// The rules are those of reads, none of its own: `allow` of a pattern that returns the entity, what
// it fixes (`userId: caller`), `only`, `within`, and `visible` of the entity. An entity that no
// such pattern returns is shown to nobody.

#pragma once

#include <optional>

#include "dynamo/dynamo.h"
#include "model/call.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct SeenChange {
    const Entity* entity = nullptr;
    const Pattern* pattern = nullptr;  // by which it is read; Runtime::to_api() shows it by that
    value::Item attributes;            // as entity_keys.h has them
};

// Of the item as it is after the change; as it was before one that removed it (`removed`: then it
// may have expired). Nothing if the caller could not read it. Blocks for `within`.
CallResult<std::optional<SeenChange>> see_change(
    const Model& model,
    dynamo::Dynamo& dynamo,
    const value::Item& raw,
    bool removed,
    const Caller& caller,
    std::int64_t now_millis
);

}  // namespace gateleg::model

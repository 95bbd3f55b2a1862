// Parts that replies share, written where the JSON wants a value.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "dynamo/replies.h"

namespace gateleg::api::dynamodb {

void write_item(JsonWriter& json, value::ValueView item);
void write_items(JsonWriter& json, const dynamo::ItemBuffer& items);

// A whole reply that has one place for each item asked for, empty where there is none.
void write_responses(
    std::string& out,
    const std::vector<std::optional<value::EncodedItem>>& items,
    const std::vector<dynamo::ConsumedCapacity>& capacity
);

// The member ConsumedCapacity, if there is any.
void write_capacity_member(
    JsonWriter& json, const std::optional<dynamo::ConsumedCapacity>& capacity
);
void write_capacity_member(JsonWriter& json, const std::vector<dynamo::ConsumedCapacity>& capacity);

}  // namespace gateleg::api::dynamodb

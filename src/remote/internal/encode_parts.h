// Members that several requests share. Each writes nothing when its value is the default.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "dynamo/requests.h"

namespace gateleg::remote::internal {

void encode_text(JsonWriter& json, std::string_view member, const std::optional<std::string>& text);
// An Item or a Key; always written.
void encode_item(JsonWriter& json, std::string_view member, const value::EncodedItem& item);
void encode_names(JsonWriter& json, const dynamo::Placeholders& placeholders);
void encode_placeholders(JsonWriter& json, const dynamo::Placeholders& placeholders);
void encode_return_capacity(JsonWriter& json, dynamo::ReturnCapacity wanted);
void encode_return_collection_metrics(JsonWriter& json, bool wanted);
// The table, the condition and what goes with it.
void encode_item_write(JsonWriter& json, const dynamo::ItemWrite& write);

}  // namespace gateleg::remote::internal

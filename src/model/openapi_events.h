// GET <base>/events in an OpenAPI document: what every model has beside the routes of its file.

#pragma once

#include <string_view>

#include "base/json_writer.h"

namespace gateleg::model {

void write_event_operation(JsonWriter& json, std::string_view id, std::string_view tag);

}  // namespace gateleg::model

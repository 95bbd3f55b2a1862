// What values of an attribute look like in the API, as JSON Schema (2020-12, the one of
// OpenAPI 3.1).

#pragma once

#include "base/json_writer.h"
#include "model/schema.h"

namespace gateleg::model {

// Writes one object. A parameter of a path or a query is at least text.
void write_attribute_schema(JsonWriter& json, const Attribute& attribute, bool is_parameter);

}  // namespace gateleg::model

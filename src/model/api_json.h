// A stored value as the API shows it, written from its bytes: what value_to_api() makes of a tree.

#pragma once

#include "model/schema.h"
#include "value/json_sink.h"
#include "value/value_view.h"

namespace gateleg::model {

// Without an attribute, of a value that the model does not describe.
void write_api_json(value::JsonSink& out, const Attribute* attribute, value::ValueView stored);

}  // namespace gateleg::model

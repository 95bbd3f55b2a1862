// Stored values as JSON without DynamoDB's type names: what json_tree.h writes of a tree, from
// bytes.

#pragma once

#include "value/json_sink.h"
#include "value/value_view.h"

namespace gateleg::value {

// Sets become arrays, binaries base64 text.
void write_plain_json(JsonSink& out, ValueView value);

}  // namespace gateleg::value

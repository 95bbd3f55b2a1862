// DynamoDB's JSON ({"S": "x"}) to the binary form of a value and back, each in one pass.
//
// Brings simdjson in, so only the code that parses requests should include it.

#pragma once

#include <string>

#include <simdjson.h>

#include "base/result.h"
#include "value/value_view.h"

namespace gateleg::value {

// What a map of values is in its request: decides how an error names the value it is about.
enum class MapOf {
    kAttributes,        // an Item or a Key
    kExpressionValues,  // ExpressionAttributeValues
};

// Validates one typed value and appends its binary form. `depth` is the number of lists and maps
// around it. Fails with DynamoDB's texts: SerializationException for JSON of the wrong shape,
// ValidationException for a value it does not take; `out` is then as it was.
Result<void> append_value(std::string& out, simdjson::dom::element json, int depth = 0);

// The same for an object of name -> typed value, which becomes one map value.
Result<void> append_map_of_values(
    std::string& out, simdjson::dom::element object, MapOf what = MapOf::kAttributes
);

// {"S":"x"}
void append_json(std::string& out, ValueView value);
// {"a":{"S":"x"}}: an item.
void append_json_map(std::string& out, ValueView map);

}  // namespace gateleg::value

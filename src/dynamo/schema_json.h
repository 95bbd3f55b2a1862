// Parts of a table's shape in the JSON of the DynamoDB API. CloudFormation writes them in the same
// way.

#pragma once

#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "dynamo/schema.h"

namespace gateleg::dynamo {

std::string_view projection_name(ProjectionType type);  // "KEYS_ONLY"
std::string_view key_role_name(KeyRole role);           // "HASH"
std::string_view stream_view_name(StreamView view);     // "NEW_IMAGE"

// Each writes one member, its name included, into an open object.
void write_attribute_definitions(
    JsonWriter& json, const std::vector<AttributeDefinition>& attributes
);
void write_key_schema(JsonWriter& json, const KeySchema& schema);
void write_projection(JsonWriter& json, const Projection& projection);
// IndexName, KeySchema, Projection.
void write_index_shape(JsonWriter& json, const IndexDefinition& index);

}  // namespace gateleg::dynamo

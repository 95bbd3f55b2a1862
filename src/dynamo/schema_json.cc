#include "dynamo/schema_json.h"

namespace gateleg::dynamo {

std::string_view projection_name(ProjectionType type) {
    switch (type) {
        case ProjectionType::kAll:
            return "ALL";
        case ProjectionType::kKeysOnly:
            return "KEYS_ONLY";
        case ProjectionType::kInclude:
            return "INCLUDE";
    }
    return "ALL";
}

std::string_view key_role_name(KeyRole role) {
    return role == KeyRole::kHash ? "HASH" : "RANGE";
}

std::string_view stream_view_name(StreamView view) {
    switch (view) {
        case StreamView::kKeysOnly:
            return "KEYS_ONLY";
        case StreamView::kNewImage:
            return "NEW_IMAGE";
        case StreamView::kOldImage:
            return "OLD_IMAGE";
        case StreamView::kNewAndOldImages:
            return "NEW_AND_OLD_IMAGES";
    }
    return "KEYS_ONLY";
}

void write_attribute_definitions(
    JsonWriter& json, const std::vector<AttributeDefinition>& attributes
) {
    json.key("AttributeDefinitions");
    json.begin_array();
    for (const auto& attribute : attributes) {
        json.begin_object();
        json.member("AttributeName", attribute.name);
        json.member("AttributeType", value::type_name(attribute.type));
        json.end_object();
    }
    json.end_array();
}

void write_key_schema(JsonWriter& json, const KeySchema& schema) {
    json.key("KeySchema");
    json.begin_array();
    for (const auto& element : schema) {
        json.begin_object();
        json.member("AttributeName", element.attribute);
        json.member("KeyType", key_role_name(element.role));
        json.end_object();
    }
    json.end_array();
}

void write_projection(JsonWriter& json, const Projection& projection) {
    json.key("Projection");
    json.begin_object();
    json.member("ProjectionType", projection_name(projection.type));
    if (!projection.non_key_attributes.empty()) {
        json.key("NonKeyAttributes");
        json.begin_array();
        for (const auto& name : projection.non_key_attributes) {
            json.string(name);
        }
        json.end_array();
    }
    json.end_object();
}

void write_index_shape(JsonWriter& json, const IndexDefinition& index) {
    json.member("IndexName", index.name);
    write_key_schema(json, index.key_schema);
    write_projection(json, index.projection);
}

}  // namespace gateleg::dynamo

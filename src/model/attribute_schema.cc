#include "model/attribute_schema.h"

namespace gateleg::model {
namespace {

void write_number(JsonWriter& json, std::string_view name, const value::Number& number) {
    json.key(name);
    json.raw(number.to_text());
}

void write_text_rules(JsonWriter& json, const Attribute& attribute) {
    if (attribute.min) {
        write_number(json, "minLength", *attribute.min);
    }
    if (attribute.max) {
        write_number(json, "maxLength", *attribute.max);
    }
    if (!attribute.pattern.empty()) {
        json.member("pattern", attribute.pattern);
    }
}

void write_number_rules(JsonWriter& json, const Attribute& attribute) {
    if (attribute.min) {
        write_number(json, "minimum", *attribute.min);
    }
    if (attribute.max) {
        write_number(json, "maximum", *attribute.max);
    }
    if (attribute.above) {
        write_number(json, "exclusiveMinimum", *attribute.above);
    }
    if (attribute.step) {
        write_number(json, "multipleOf", *attribute.step);
    }
}

void write_size_rules(
    JsonWriter& json, const Attribute& attribute, std::string_view least, std::string_view most
) {
    if (attribute.min) {
        write_number(json, least, *attribute.min);
    }
    if (attribute.max) {
        write_number(json, most, *attribute.max);
    }
}

void write_array(JsonWriter& json, const Attribute& attribute) {
    json.member("type", "array");
    if (attribute.type == AttributeType::kSet) {
        json.member("uniqueItems", true);
    }
    write_size_rules(json, attribute, "minItems", "maxItems");
    json.key("items");
    if (attribute.of) {
        write_attribute_schema(json, *attribute.of, false);
    } else {
        json.raw("{}");
    }
}

void write_object(JsonWriter& json, const Attribute& attribute) {
    json.member("type", "object");
    write_size_rules(json, attribute, "minProperties", "maxProperties");
    if (!attribute.fields.empty()) {
        json.key("properties");
        json.begin_object();
        for (const auto& field : attribute.fields) {
            json.key(field.name);
            write_attribute_schema(json, field, false);
        }
        json.end_object();
        json.key("required");
        json.begin_array();
        for (const auto& field : attribute.fields) {
            if (field.required && !field.default_value) {
                json.string(field.name);
            }
        }
        json.end_array();
    }
    json.key("additionalProperties");
    if (attribute.of) {
        write_attribute_schema(json, *attribute.of, false);
    } else {
        json.boolean(attribute.open || attribute.fields.empty());
    }
}

void write_enum(JsonWriter& json, const Attribute& attribute) {
    json.member("type", "string");
    json.key("enum");
    json.begin_array();
    for (const auto& value : attribute.values) {
        json.string(value);
    }
    json.end_array();
}

void write_type(JsonWriter& json, const Attribute& attribute) {
    switch (attribute.type) {
        case AttributeType::kString:
            json.member("type", "string");
            write_text_rules(json, attribute);
            break;
        case AttributeType::kInteger:
            json.member("type", "integer");
            write_number_rules(json, attribute);
            break;
        case AttributeType::kNumber:
            json.member("type", "number");
            write_number_rules(json, attribute);
            break;
        case AttributeType::kBoolean:
            json.member("type", "boolean");
            break;
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            if (attribute.json_number) {
                json.member("type", "integer");
                break;
            }
            [[fallthrough]];
        case AttributeType::kTimestamp:
            json.member("type", "string");
            json.member("format", "date-time");
            break;
        case AttributeType::kUlid:
            json.member("type", "string");
            json.member("pattern", "^[0-9A-HJKMNP-TV-Z]{26}$");
            break;
        case AttributeType::kUuid:
            json.member("type", "string");
            json.member("format", "uuid");
            break;
        case AttributeType::kEnum:
            write_enum(json, attribute);
            break;
        case AttributeType::kList:
        case AttributeType::kSet:
            write_array(json, attribute);
            break;
        case AttributeType::kMap:
            write_object(json, attribute);
            break;
        case AttributeType::kBinary:
            json.member("type", "string");
            json.member("contentEncoding", "base64");
            break;
        case AttributeType::kAny:
            break;
    }
}

}  // namespace

void write_attribute_schema(JsonWriter& json, const Attribute& attribute, bool is_parameter) {
    json.begin_object();
    if (is_parameter && attribute.type == AttributeType::kAny) {
        json.member("type", "string");
    } else {
        write_type(json, attribute);
    }
    json.end_object();
}

}  // namespace gateleg::model

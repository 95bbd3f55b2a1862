#include "base/json_writer.h"
#include "model/properties.h"

namespace gateleg::model {
namespace {

constexpr std::string_view kExpressionType =
    R"({"type":["string","number","boolean","null","array","object"]})";

std::string reference(std::string_view construct) {
    return R"({"$ref":"#/$defs/)" + std::string(construct) + R"("})";
}

std::string map_of(const std::string& schema) {
    return R"({"type":"object","additionalProperties":)" + schema + "}";
}

std::string list_of(const std::string& schema) {
    return R"({"type":"array","items":)" + schema + "}";
}

std::string either(const std::string& left, const std::string& right) {
    return R"({"anyOf":[)" + left + "," + right + "]}";
}

std::string choices(const std::vector<std::string_view>& words) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("enum");
    json.begin_array();
    for (const auto word : words) {
        json.string(word);
    }
    json.end_array();
    json.end_object();
    return out;
}

// Every type word, also with '!'.
std::string type_schema() {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("enum");
    json.begin_array();
    for (const auto& word : type_words()) {
        json.string(word);
        json.string(word + "!");
    }
    json.end_array();
    json.end_object();
    return out;
}

std::string attribute_schema() {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("anyOf");
    json.begin_array();
    json.raw(type_schema());
    json.raw(R"({"type":"string","pattern":"^[A-Za-z_]\\w*\\.[A-Za-z_]\\w*[!?]?$"})");
    json.raw(R"({"type":"array"})");
    json.raw(reference("attribute"));
    json.end_array();
    json.end_object();
    return out;
}

std::string shape_schema(const Property& property) {
    const std::string text = R"({"type":"string"})";
    const std::string names = list_of(text);
    const std::string expression(kExpressionType);
    switch (property.shape) {
        case Shape::kText:
        case Shape::kName:
        case Shape::kItem:
        case Shape::kLoop:
            return text;
        case Shape::kNames:
        case Shape::kValues:
            return R"({"type":"array"})";
        case Shape::kNameOrNames:
            return either(text, names);
        case Shape::kRoutes: {
            const std::string route =
                R"({"type":"string","pattern":"^(GET|POST|PUT|PATCH|DELETE) /"})";
            return either(route, list_of(route));
        }
        case Shape::kProjection:
            return either(R"({"enum":["all","keys"]})", names);
        case Shape::kFlag:
            return R"({"type":"boolean"})";
        case Shape::kInteger:
            return R"({"type":"integer"})";
        case Shape::kNumber:
            return R"({"type":"number"})";
        case Shape::kDuration:
            return R"({"type":"string","pattern":"^[0-9]+[smhd]$"})";
        case Shape::kChoice:
            return choices(property.choices);
        case Shape::kExpression:
            return expression;
        case Shape::kExpressions:
            return map_of(expression);
        case Shape::kExpressionsOrInput:
            return either(map_of(expression), R"({"const":"input"})");
        case Shape::kItems:
            return map_of(text);
        case Shape::kAccess:
            return R"({"type":"string","pattern":"^(anyone|signed_in|internal|role\\(.+\\))$"})";
        case Shape::kKeyTypes:
            return R"({"type":"object","minProperties":1,"maxProperties":2,)"
                   R"("additionalProperties":{"enum":["S","N","B"]}})";
        case Shape::kStatuses:
            return map_of(R"({"type":"integer"})");
        case Shape::kAttribute:
            return either(attribute_schema(), R"({"type":"object"})");
        case Shape::kAttributes:
            return map_of(attribute_schema());
        case Shape::kStored:
            return either(R"({"const":false})", names);
        case Shape::kKeys:
            return map_of(either(text, reference("key")));
        case Shape::kConstruct:
            return reference(property.construct);
        case Shape::kConstructs:
            return map_of(reference(property.construct));
        case Shape::kConstructList:
            return list_of(reference(property.construct));
        case Shape::kAnything:
            return "{}";
    }
    return "{}";
}

bool is_type(const Construct& construct, const Property& property) {
    return construct.name == "attribute" && property.name == "type";
}

// Properties of which one must be there: what a pattern reads, what a step does.
std::vector<std::string_view> choices_of(const Construct& construct) {
    if (construct.name == "pattern") {
        return {"get", "query"};
    }
    if (construct.name == "step") {
        return {"put", "update", "upsert", "delete", "check"};
    }
    return {};
}

void write_construct(JsonWriter& json, const Construct& construct) {
    json.begin_object();
    json.member("type", "object");
    json.member("description", construct.help);
    json.member("additionalProperties", false);
    json.key("properties");
    json.begin_object();
    for (const auto& property : construct.properties) {
        json.key(property.name);
        json.begin_object();
        json.member("description", property.help);
        json.key("allOf");
        json.begin_array();
        json.raw(is_type(construct, property) ? type_schema() : shape_schema(property));
        json.end_array();
        json.end_object();
    }
    json.end_object();
    json.key("required");
    json.begin_array();
    for (const auto& property : construct.properties) {
        if (property.required) {
            json.string(property.name);
        }
    }
    json.end_array();
    if (const auto any = choices_of(construct); !any.empty()) {
        json.key("anyOf");
        json.begin_array();
        for (const auto name : any) {
            json.begin_object();
            json.key("required");
            json.begin_array();
            json.string(name);
            json.end_array();
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
}

}  // namespace

std::string json_schema() {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    json.member("title", "Gateleg model");
    json.member("$ref", "#/$defs/file");
    json.key("$defs");
    json.begin_object();
    for (const auto& one : constructs()) {
        json.key(one.name);
        write_construct(json, one);
    }
    json.end_object();
    json.end_object();
    return out;
}

}  // namespace gateleg::model

#include "api/rest/pattern_list.h"

#include "base/json_writer.h"
#include "model/surface.h"

namespace gateleg::api::rest {
namespace {

void write_parameter(
    JsonWriter& json, std::string_view name, std::string_view type, bool required
) {
    json.begin_object();
    json.member("name", name);
    json.member("type", type);
    json.member("required", required);
    json.end_object();
}

void write_parameters(JsonWriter& json, const model::Endpoint& endpoint) {
    json.key("parameters");
    json.begin_array();
    for (const auto& parameter : endpoint.parameters) {
        const auto* attribute = parameter.attribute;
        write_parameter(
            json,
            parameter.name,
            attribute != nullptr ? model::attribute_type_name(attribute->type) : "string",
            parameter.required
        );
    }
    if (endpoint.is_paged()) {
        write_parameter(json, "limit", "integer", false);
        write_parameter(json, "cursor", "string", false);
    }
    if (endpoint.is_list() && endpoint.pattern->order == model::Pattern::Order::kEither) {
        write_parameter(json, "order", "string", false);
    }
    json.end_array();
}

void write_pattern(JsonWriter& json, const model::Endpoint& endpoint) {
    const auto& pattern = *endpoint.pattern;
    json.begin_object();
    json.member("name", pattern.name);
    json.key("rows");
    json.begin_array();
    for (const auto& row : model::row_ids(pattern)) {
        json.string(row);
    }
    json.end_array();
    json.member("path", endpoint.path);
    json.member("access", pattern.allow.text());
    json.member("answer", endpoint.is_list() ? "list" : pattern.count ? "count" : "entity");
    json.key("entities");
    json.begin_array();
    for (const auto* entity : pattern.returned()) {
        json.string(entity->name);
    }
    json.end_array();
    write_parameters(json, endpoint);
    json.end_object();
}

}  // namespace

std::string render_pattern_list(const model::Model& model) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("items");
    json.begin_array();
    for (const auto& endpoint : model::pattern_endpoints_of(model)) {
        write_pattern(json, endpoint);
    }
    json.end_array();
    json.key("cursor");
    json.raw("null");
    json.end_object();
    return body;
}

}  // namespace gateleg::api::rest

#include <cctype>

#include "api/console/calls.h"
#include "base/json_writer.h"
#include "model/surface.h"

namespace gateleg::api::console {
namespace {

void write_text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
    json.key(name);
    text.empty() ? json.raw("null") : json.string(text);
}

// The many that do not hold are left out: every page loads all models.
void write_flag(JsonWriter& json, std::string_view name, bool holds) {
    if (holds) {
        json.member(name, true);
    }
}

std::string_view key_type(value::Type type) {
    return type == value::Type::kNumber ? "N" : type == value::Type::kBinary ? "B" : "S";
}

void write_key(JsonWriter& json, const model::KeySchema& key) {
    const auto write = [&](std::string_view name, const model::KeyAttribute& attribute) {
        json.key(name);
        json.begin_object();
        json.member("name", attribute.name);
        json.member("type", key_type(attribute.type));
        json.end_object();
    };
    json.key("key");
    json.begin_object();
    write("partition", key.partition);
    if (key.sort) {
        write("sort", *key.sort);
    }
    json.end_object();
}

void write_table(JsonWriter& json, const model::Table& table) {
    json.key("table");
    json.begin_object();
    json.member("name", table.name);
    write_key(json, table.key);
    write_text_or_null(json, "ttl", table.ttl);
    write_text_or_null(json, "marker", table.marker);
    json.key("indexes");
    json.begin_array();
    for (const auto& index : table.indexes) {
        json.begin_object();
        json.member("name", index.name);
        write_key(json, index.key);
        json.member(
            "projection",
            index.projection == model::Index::Projection::kAll    ? "ALL"
            : index.projection == model::Index::Projection::kKeys ? "KEYS_ONLY"
                                                                  : "INCLUDE"
        );
        json.key("projected");
        json.begin_array();
        for (const auto& name : index.projected) {
            json.string(name);
        }
        json.end_array();
        json.member("optional", index.optional);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write_attribute(JsonWriter& json, const model::Attribute& attribute) {
    json.begin_object();
    json.member("name", attribute.name);
    json.member("type", model::attribute_type_name(attribute.type));
    write_flag(json, "required", attribute.required);
    write_flag(json, "hidden", attribute.hidden);
    if (!attribute.stored) {
        json.member("stored", false);
    }
    if (!attribute.values.empty()) {
        json.key("values");
        json.begin_array();
        for (const auto& each : attribute.values) {
            json.string(each);
        }
        json.end_array();
    }
    json.end_object();
}

void write_entity(JsonWriter& json, const model::Model& model, const model::Entity& entity) {
    json.begin_object();
    json.member("name", entity.name);
    json.member("builtIn", entity.built_in);
    json.key("keys");
    json.begin_object();
    for (const auto& key : entity.keys) {
        json.member(key.attribute, key.key_template.text());
    }
    json.end_object();
    json.key("conditional");
    json.begin_array();
    for (const auto& key : entity.keys) {
        if (key.when) {
            json.string(key.attribute);
        }
    }
    json.end_array();
    json.key("marker");
    if (entity.marker && !model.table.marker.empty()) {
        json.begin_object();
        json.member("attribute", model.table.marker);
        json.member("value", *entity.marker);
        json.end_object();
    } else {
        json.raw("null");
    }
    json.key("rows");
    json.begin_array();
    for (const auto& row : entity.rows) {
        json.string(row.target.name);
    }
    json.end_array();
    json.key("attributes");
    json.begin_array();
    for (const auto& attribute : entity.attributes) {
        write_attribute(json, attribute);
    }
    json.end_array();
    json.end_object();
}

void write_parameter(
    JsonWriter& json, std::string_view name, std::string_view type, bool required
) {
    json.begin_object();
    json.member("name", name);
    json.member("type", type);
    write_flag(json, "required", required);
    json.end_object();
}

void write_parameters(JsonWriter& json, const model::Endpoint& endpoint) {
    for (const auto& parameter : endpoint.parameters) {
        const auto* attribute = parameter.attribute;
        json.begin_object();
        json.member("name", parameter.name);
        json.member(
            "type", attribute != nullptr ? model::attribute_type_name(attribute->type) : "string"
        );
        write_flag(json, "required", parameter.required);
        if (attribute != nullptr && !attribute->values.empty()) {
            json.key("values");
            json.begin_array();
            for (const auto& each : attribute->values) {
                json.string(each);
            }
            json.end_array();
        }
        json.end_object();
    }
}

// What a pattern without a route of its own is asked for.
void write_key_parameters(
    JsonWriter& json, const model::Model& model, const model::Pattern& pattern
) {
    if (!pattern.by.empty()) {
        for (const auto& name : pattern.by) {
            write_parameter(json, name.name, "string", true);
        }
    } else if (!pattern.entities.empty() && pattern.get) {
        for (const auto& name : model::key_variables(*pattern.entities.front(), model.table.key)) {
            write_parameter(json, name, "string", true);
        }
    }
}

const model::Endpoint* find_endpoint(
    const std::vector<model::Endpoint>& endpoints, const model::Pattern& pattern
) {
    for (const auto& endpoint : endpoints) {
        if (endpoint.pattern == &pattern) {
            return &endpoint;
        }
    }
    return nullptr;
}

void write_patterns(JsonWriter& json, const model::Model& model) {
    const auto routes = model::endpoints_of(model);
    const auto by_name = model::pattern_endpoints_of(model);
    json.key("patterns");
    json.begin_array();
    for (const auto& pattern : model.patterns) {
        const auto* route = find_endpoint(routes, pattern);
        const auto* named = find_endpoint(by_name, pattern);
        json.begin_object();
        json.member("name", pattern.name);
        const auto rows = model::row_ids(pattern);
        write_text_or_null(json, "id", rows.empty() ? "" : rows.front());
        json.member("doc", pattern.doc);
        json.member("kind", pattern.get ? "get" : pattern.count ? "count" : "query");
        json.key("entities");
        json.begin_array();
        for (const auto* entity : pattern.entities) {
            json.string(entity->name);
        }
        json.end_array();
        write_text_or_null(json, "index", pattern.index);
        const auto* shown = route != nullptr ? route : named;
        write_text_or_null(
            json, "route", shown != nullptr ? shown->method + " " + shown->path : ""
        );
        write_text_or_null(json, "path", named != nullptr ? named->path : "");
        json.key("params");
        json.begin_array();
        if (named != nullptr) {
            write_parameters(json, *named);
            if (named->is_paged()) {
                write_parameter(json, "limit", "integer", false);
                write_parameter(json, "cursor", "string", false);
            }
        } else {
            write_key_parameters(json, model, pattern);
        }
        json.end_array();
        json.member("allow", pattern.allow.text());
        json.end_object();
    }
    json.end_array();
}

void write_operations(JsonWriter& json, const model::Model& model) {
    const auto routes = model::endpoints_of(model);
    json.key("operations");
    json.begin_array();
    for (const auto& endpoint : routes) {
        if (endpoint.operation == nullptr) {
            continue;
        }
        json.begin_object();
        json.member("name", endpoint.operation->name);
        json.member("method", endpoint.method);
        json.member("path", endpoint.path);
        json.member("allow", endpoint.operation->allow.text());
        json.key("input");
        json.begin_array();
        write_parameters(json, endpoint);
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

void write_jobs(JsonWriter& json, const model::Model& model) {
    json.key("jobs");
    json.begin_array();
    for (const auto& job : model.jobs) {
        json.begin_object();
        json.member("name", job.name);
        json.end_object();
    }
    json.end_array();
}

std::string title_of(const std::string& name) {
    auto title = name;
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    return title;
}

}  // namespace

CallReply model_text(const Context& context, const Call& call) {
    const auto* system = context.find_system(call.variables.at(0));
    if (system == nullptr) {
        return not_found("There is no model of that name");
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("name", system->runtime->model().name);
    json.member("file", system->runtime->model().file);
    json.member("yaml", system->yaml);
    json.end_object();
    return reply;
}

std::string render_models(const Context& context) {
    std::string out;
    JsonWriter json(out);
    json.begin_array();
    for (const auto& system : context.systems) {
        const auto& model = system.runtime->model();
        json.begin_object();
        json.member("name", model.name);
        json.member("title", title_of(model.name));
        json.member("base", model::base_path(model));
        write_table(json, model.table);
        json.key("entities");
        json.begin_array();
        for (const auto& entity : model.entities) {
            write_entity(json, model, entity);
        }
        json.end_array();
        write_patterns(json, model);
        write_operations(json, model);
        write_jobs(json, model);
        json.end_object();
    }
    json.end_array();
    return out;
}

}  // namespace gateleg::api::console

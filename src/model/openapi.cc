#include "model/openapi.h"

#include <algorithm>

#include "base/json_writer.h"
#include "model/attribute_schema.h"
#include "model/surface.h"

namespace gateleg::model {
namespace {

constexpr std::string_view kErrorSchema =
    R"({"type":"object","required":["error"],"properties":{"error":{"type":"object","required":["code","message","requestId"],"properties":{"code":{"type":"string"},"message":{"type":"string"},"field":{"type":"string"},"details":{"oneOf":[{"type":"array","items":{"type":"object","required":["field","message"],"properties":{"field":{"type":"string"},"message":{"type":"string"}}}},{"type":"object"}]},"requestId":{"type":"string"}}}}})";
constexpr std::string_view kChangedSchema =
    R"({"type":"object","required":["changed"],"properties":{"changed":{"type":"boolean"}}})";
constexpr std::string_view kJobReportSchema =
    R"({"type":"object","required":["scanned","changed","skipped","done","cursor"],"properties":{)"
    R"("scanned":{"type":"integer"},"changed":{"type":"integer"},"skipped":{"type":"integer"},)"
    R"("failed":{"type":"integer"},"done":{"type":"boolean"},"cursor":{"type":["string","null"]}}})";

constexpr std::string_view kEventsReply =
    R"({"description":"Events, until the caller leaves or its token ends: `record` with the data below and the )"
    R"(sequence number as id, `gap` where records were skipped","content":{"text/event-stream":{"schema":{)"
    R"("type":"object","required":["sequence","operation","at","entity","item"],"properties":{)"
    R"("sequence":{"type":"string"},"operation":{"type":"string","enum":["INSERT","MODIFY","REMOVE"]},)"
    R"("at":{"type":"string","format":"date-time"},"entity":{"type":"string"},"item":{"type":"object"},)"
    R"("expired":{"type":"boolean"}}}}}})";

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    return text;
}

std::string joined(const std::set<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        text.append(text.empty() ? "" : ", ").append(word);
    }
    return text;
}

// --- the document
// -----------------------------------------------------------------------------------------

class Document {
public:
    Document(const std::vector<const Model*>& models, const EndpointFilter& shown)
        : models_(models), shown_(shown), json_(text_) {}

    std::string render() {
        json_.begin_object();
        json_.member("openapi", "3.1.0");
        json_.key("info");
        json_.begin_object();
        json_.member("title", models_.size() == 1 ? models_.front()->name : "gateleg");
        json_.member("version", "1");
        json_.end_object();
        json_.key("security");
        json_.raw(R"([{"bearer":[]}])");
        json_.key("tags");
        json_.begin_array();
        for (const auto* model : models_) {
            json_.begin_object();
            json_.member("name", model->name);
            json_.end_object();
        }
        json_.end_array();
        write_paths();
        write_components();
        json_.end_object();
        return std::move(text_);
    }

private:
    struct Placed {
        const Model* model;
        Endpoint endpoint;
    };
    // One path item has one operation per method, so routes that differ in their query only share
    // it.
    using Methods = std::map<std::string, std::vector<Placed>>;

    std::string schema_name(const Model& model, const std::string& name) const {
        return models_.size() == 1 ? name : model.name + "." + name;
    }
    void write_reference(const Model& model, const std::string& name) {
        json_.begin_object();
        json_.member("$ref", "#/components/schemas/" + schema_name(model, name));
        json_.end_object();
    }

    static std::string lower(std::string text) {
        std::transform(text.begin(), text.end(), text.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        return text;
    }

    void write_paths() {
        std::map<std::string, Methods> paths;
        std::map<std::string, const Model*> feeds;
        for (const auto* model : models_) {
            const auto endpoints = shown_endpoints(*model);
            // Whoever may call what is not for anyone is signed in.
            if (std::any_of(endpoints.begin(), endpoints.end(), [](const Endpoint& endpoint) {
                    return endpoint.access().kind != Access::Kind::kAnyone;
                })) {
                const auto path = base_path(*model) + "/events";
                feeds[path] = model;
                paths[path];
            }
            for (auto& endpoint : endpoints) {
                auto& placed = paths[endpoint.path][lower(endpoint.method)];
                placed.push_back({model, endpoint});
            }
        }
        json_.key("paths");
        json_.begin_object();
        for (const auto& [path, methods] : paths) {
            json_.key(path);
            json_.begin_object();
            for (const auto& [method, placed] : methods) {
                json_.key(method);
                write_operation(placed);
            }
            if (const auto feed = feeds.find(path);
                feed != feeds.end() && !methods.contains("get")) {
                json_.key("get");
                write_feed(*feed->second);
            }
            json_.end_object();
        }
        json_.end_object();
    }

    // The changes as they happen: beside the routes of the file, for every model.
    void write_feed(const Model& model) {
        json_.begin_object();
        json_.member("operationId", schema_name(model, "followEvents"));
        json_.key("tags");
        json_.begin_array();
        json_.string(model.name);
        json_.end_array();
        json_.member("summary", "Changes as they happen, of what the caller may read");
        json_.member("description", "Allowed: signed-in");
        json_.key("parameters");
        json_.begin_array();
        write_parameter("entity", "query", false, nullptr);
        write_parameter(
            "from",
            "query",
            false,
            nullptr,
            R"({"type":"string","pattern":"^(latest|horizon|[0-9]{1,21})$"})"
        );
        write_parameter(
            "Last-Event-ID",
            "header",
            false,
            nullptr,
            R"({"type":"string","pattern":"^[0-9]{1,21}$"})"
        );
        json_.end_array();
        json_.key("responses");
        json_.begin_object();
        json_.key("200");
        json_.raw(kEventsReply);
        write_error(400, {"ValidationFailed"});
        write_error(401, {"Unauthenticated"});
        write_error(409, {"StreamDisabled"});
        write_error(429, {"TooManyStreams"});
        write_error(501, {"NotAvailable"});
        write_error(503, {"Unavailable"});
        json_.end_object();
        json_.end_object();
    }

    void write_operation(const std::vector<Placed>& placed) {
        const auto& [model, first] = placed.front();
        json_.begin_object();
        json_.member("operationId", schema_name(*model, first.id));
        json_.key("tags");
        json_.begin_array();
        json_.string(model->name);
        json_.end_array();
        write_summary(placed);
        if (first.access().kind == Access::Kind::kAnyone) {
            json_.key("security");
            json_.raw(R"([{},{"bearer":[]}])");
        }
        write_parameters(placed);
        if (first.takes_body()) {
            write_body(first);
        }
        write_replies(placed);
        json_.end_object();
    }

    void write_summary(const std::vector<Placed>& placed) {
        std::string text;
        for (const auto& entry : placed) {
            const auto& endpoint = entry.endpoint;
            if (!text.empty()) {
                text += "; ";
            }
            text += endpoint.pattern != nullptr && !endpoint.pattern->doc.empty()
                        ? endpoint.pattern->name + " (" + endpoint.pattern->doc + ")"
                        : endpoint.id;
        }
        json_.member("summary", text);
        json_.member("description", "Allowed: " + placed.front().endpoint.access().text());
    }

    void write_parameter(
        std::string_view name,
        std::string_view in,
        bool required,
        const Attribute* attribute,
        std::string_view schema = R"({"type":"string"})"
    ) {
        json_.begin_object();
        json_.member("name", name);
        json_.member("in", in);
        json_.member("required", required);
        json_.key("schema");
        if (attribute != nullptr) {
            write_attribute_schema(json_, *attribute, true);
        } else {
            json_.raw(schema);
        }
        json_.end_object();
    }

    void write_parameters(const std::vector<Placed>& placed) {
        const bool only = placed.size() == 1;
        std::set<std::string> written;
        json_.key("parameters");
        json_.begin_array();
        for (const auto& entry : placed) {
            for (const auto& parameter : entry.endpoint.parameters) {
                if (parameter.place == Parameter::Place::kBody ||
                    !written.insert(parameter.name).second) {
                    continue;
                }
                const bool path = parameter.place == Parameter::Place::kPath;
                write_parameter(
                    parameter.name,
                    path ? "path" : "query",
                    path || (only && parameter.required),
                    parameter.whole_day ? nullptr : parameter.attribute
                );
            }
        }
        const auto& first = placed.front().endpoint;
        if (first.is_paged() && !written.contains("limit") && !written.contains("cursor")) {
            write_parameter(
                "limit",
                "query",
                false,
                nullptr,
                R"({"type":"integer","minimum":1,"maximum":100,"default":25})"
            );
            write_parameter("cursor", "query", false, nullptr);
        }
        const auto either = [](const Placed& entry) {
            return entry.endpoint.is_list() &&
                   entry.endpoint.pattern->order == Pattern::Order::kEither;
        };
        if (!written.contains("order") && std::any_of(placed.begin(), placed.end(), either)) {
            write_parameter(
                "order", "query", false, nullptr, R"({"type":"string","enum":["asc","desc"]})"
            );
        }
        if (first.takes_idempotency_key()) {
            write_parameter(
                "Idempotency-Key",
                "header",
                first.operation->idempotency_required,
                nullptr,
                R"({"type":"string","pattern":"^[A-Za-z0-9_-]{1,128}$"})"
            );
        }
        if (errors_of(*placed.front().model, first).contains(412)) {
            write_parameter("If-Match", "header", false, nullptr);
        }
        json_.end_array();
    }

    void write_body(const Endpoint& endpoint) {
        json_.key("requestBody");
        json_.begin_object();
        json_.member("required", endpoint.job == nullptr);
        json_.key("content");
        json_.begin_object();
        json_.key("application/json");
        json_.begin_object();
        json_.key("schema");
        json_.begin_object();
        json_.member("type", "object");
        json_.key("properties");
        json_.begin_object();
        for (const auto& parameter : endpoint.parameters) {
            if (parameter.place == Parameter::Place::kBody) {
                json_.key(parameter.name);
                write_attribute_schema(json_, *parameter.attribute, false);
            }
        }
        json_.end_object();
        json_.key("required");
        json_.begin_array();
        for (const auto& parameter : endpoint.parameters) {
            if (parameter.place == Parameter::Place::kBody && parameter.required) {
                json_.string(parameter.name);
            }
        }
        json_.end_array();
        json_.member("additionalProperties", !endpoint.rest.empty());
        for (int level = 0; level < 4; ++level) {
            json_.end_object();
        }
    }

    // The entity, or one of several told apart by a property.
    void write_item(const Model& model, const std::vector<const Entity*>& entities) {
        if (entities.size() == 1) {
            write_reference(model, entities.front()->name);
            return;
        }
        const auto property = discriminator(model);
        json_.begin_object();
        json_.key("oneOf");
        json_.begin_array();
        for (const auto* entity : entities) {
            const auto value = discriminator_value(*entity, entities);
            const auto name = variant_name(model, *entity, value);
            json_.begin_object();
            json_.member("$ref", "#/components/schemas/" + name);
            json_.end_object();
        }
        json_.end_array();
        json_.key("discriminator");
        json_.begin_object();
        json_.member("propertyName", property);
        json_.key("mapping");
        json_.begin_object();
        for (const auto* entity : entities) {
            const auto value = discriminator_value(*entity, entities);
            json_.member(value, "#/components/schemas/" + variant_name(model, *entity, value));
        }
        json_.end_object();
        json_.end_object();
        json_.end_object();
    }

    std::string variant_name(const Model& model, const Entity& entity, const std::string& value) {
        const auto name = schema_name(model, entity.name + "As" + capitalised(value));
        variants_.try_emplace(name, Variant{&model, &entity, value});
        return name;
    }

    // What C++ answers with, as the file declares it.
    void write_native(const Model& model, const Operation& operation) {
        if (!operation.answer_item.empty()) {
            const std::vector<const Entity*> entities = {model.find_entity(operation.answer_item)};
            if (operation.answer_list) {
                write_list(model, entities);
            } else {
                write_item(model, entities);
            }
            return;
        }
        json_.begin_object();
        json_.member("type", "object");
        if (!operation.answer.empty()) {
            json_.key("properties");
            json_.begin_object();
            for (const auto& field : operation.answer) {
                json_.key(field.name);
                write_attribute_schema(json_, field, false);
            }
            json_.end_object();
        }
        json_.end_object();
    }

    void write_list(const Model& model, const std::vector<const Entity*>& entities) {
        json_.begin_object();
        write_list_members(model, entities);
        json_.end_object();
    }

    void write_list_members(const Model& model, const std::vector<const Entity*>& entities) {
        json_.member("type", "object");
        json_.key("required");
        json_.raw(R"(["items","cursor"])");
        json_.key("properties");
        json_.begin_object();
        json_.key("items");
        json_.begin_object();
        json_.member("type", "array");
        json_.key("items");
        write_item(model, entities);
        json_.end_object();
        json_.key("cursor");
        json_.raw(R"({"type":["string","null"]})");
        json_.key("partial");
        json_.raw(R"({"const":true})");
        json_.end_object();
    }

    void write_success(const Placed& placed) {
        const auto& [model, endpoint] = placed;
        if (endpoint.operation != nullptr && endpoint.operation->native) {
            write_native(*model, *endpoint.operation);
            return;
        }
        const auto entities = returned_entities(endpoint);
        json_.begin_object();
        if (endpoint.is_list()) {
            write_list_members(*model, entities);
        } else if (endpoint.pattern != nullptr && endpoint.pattern->count) {
            json_.member("type", "object");
            json_.key("required");
            json_.raw(R"(["count"])");
            json_.key("properties");
            json_.raw(R"({"count":{"type":"integer"}})");
        } else if (endpoint.job != nullptr) {
            json_.member("$ref", "#/components/schemas/JobReport");
        } else {
            json_.key("anyOf");
            json_.begin_array();
            if (!entities.empty()) {
                write_item(*model, entities);
            } else if (endpoint.operation->returns) {
                json_.raw("{}");
            }
            if (endpoint.operation != nullptr) {
                json_.raw(R"({"$ref":"#/components/schemas/Changed"})");
            }
            json_.end_array();
        }
        json_.end_object();
    }

    static bool creates(const Endpoint& endpoint) {
        if (endpoint.operation == nullptr) {
            return false;
        }
        const auto& writes = endpoint.operation->writes;
        return std::any_of(writes.begin(), writes.end(), [](const Step& step) {
            return step.verb == Verb::kPut;
        });
    }

    void write_reply(std::string_view status, const std::vector<Placed>& placed) {
        json_.key(status);
        json_.begin_object();
        json_.member("description", status == "201" ? "Created" : "Done");
        json_.key("content");
        json_.begin_object();
        json_.key("application/json");
        json_.begin_object();
        json_.key("schema");
        if (placed.size() == 1) {
            write_success(placed.front());
        } else {
            json_.begin_object();
            json_.key("anyOf");
            json_.begin_array();
            for (const auto& entry : placed) {
                write_success(entry);
            }
            json_.end_array();
            json_.end_object();
        }
        json_.end_object();
        json_.end_object();
        json_.end_object();
    }

    void write_replies(const std::vector<Placed>& placed) {
        json_.key("responses");
        json_.begin_object();
        const auto* operation = placed.front().endpoint.operation;
        if (operation != nullptr && operation->status != 0) {
            write_reply(std::to_string(operation->status), placed);
        } else {
            write_reply("200", placed);
            if (creates(placed.front().endpoint)) {
                write_reply("201", placed);
            }
        }
        std::map<int, std::set<std::string>> errors;
        for (const auto& entry : placed) {
            for (auto& [status, codes] : errors_of(*entry.model, entry.endpoint)) {
                errors[status].insert(codes.begin(), codes.end());
            }
        }
        for (const auto& [status, codes] : errors) {
            write_error(status, codes);
        }
        json_.end_object();
    }

    void write_error(int status, const std::set<std::string>& codes) {
        json_.key(std::to_string(status));
        json_.begin_object();
        json_.member("description", joined(codes));
        json_.key("content");
        json_.begin_object();
        json_.key("application/json");
        json_.begin_object();
        json_.key("schema");
        json_.begin_object();
        json_.key("allOf");
        json_.begin_array();
        json_.raw(R"({"$ref":"#/components/schemas/Error"})");
        json_.begin_object();
        json_.key("properties");
        json_.begin_object();
        json_.key("error");
        json_.begin_object();
        json_.key("properties");
        json_.begin_object();
        json_.key("code");
        json_.begin_object();
        json_.key("enum");
        json_.begin_array();
        for (const auto& code : codes) {
            json_.string(code);
        }
        json_.end_array();
        for (int level = 0; level < 5; ++level) {
            json_.end_object();
        }
        json_.end_array();
        for (int level = 0; level < 4; ++level) {
            json_.end_object();
        }
    }

    void write_entity(const Model& model, const Entity& entity, const std::string& variant) {
        json_.begin_object();
        json_.member("type", "object");
        json_.key("properties");
        json_.begin_object();
        if (!variant.empty()) {
            json_.key(discriminator(model));
            json_.begin_object();
            json_.member("const", variant);
            json_.end_object();
        }
        for (const auto& attribute : entity.attributes) {
            if (!attribute.hidden) {
                json_.key(attribute.name);
                write_attribute_schema(json_, attribute, false);
            }
        }
        json_.end_object();
        if (!variant.empty()) {
            json_.key("required");
            json_.begin_array();
            json_.string(discriminator(model));
            json_.end_array();
        }
        json_.member("additionalProperties", entity.open);
        json_.end_object();
    }

    void write_components() {
        json_.key("components");
        json_.begin_object();
        json_.key("securitySchemes");
        json_.raw(R"({"bearer":{"type":"http","scheme":"bearer","bearerFormat":"JWT"}})");
        json_.key("schemas");
        json_.begin_object();
        json_.key("Error");
        json_.raw(kErrorSchema);
        json_.key("Changed");
        json_.raw(kChangedSchema);
        json_.key("JobReport");
        json_.raw(kJobReportSchema);
        for (const auto* model : models_) {
            for (const auto* entity : shown_entities(*model)) {
                json_.key(schema_name(*model, entity->name));
                write_entity(*model, *entity, "");
            }
        }
        for (const auto& [name, variant] : variants_) {
            json_.key(name);
            write_entity(*variant.model, *variant.entity, variant.value);
        }
        json_.end_object();
        json_.end_object();
    }

    std::vector<Endpoint> shown_endpoints(const Model& model) const {
        auto endpoints = endpoints_of(model);
        for (auto& endpoint : pattern_endpoints_of(model)) {
            endpoints.push_back(std::move(endpoint));
        }
        if (shown_) {
            endpoints.erase(
                std::remove_if(
                    endpoints.begin(),
                    endpoints.end(),
                    [&](const Endpoint& endpoint) { return !shown_(model, endpoint); }
                ),
                endpoints.end()
            );
        }
        return endpoints;
    }

    // Those that some endpoint answers with.
    std::vector<const Entity*> shown_entities(const Model& model) const {
        std::vector<const Entity*> shown;
        const auto endpoints = shown_endpoints(model);
        for (const auto& entity : model.entities) {
            if (std::any_of(endpoints.begin(), endpoints.end(), [&](const Endpoint& endpoint) {
                    auto entities = returned_entities(endpoint);
                    if (endpoint.operation != nullptr && !endpoint.operation->answer_item.empty()) {
                        entities.push_back(model.find_entity(endpoint.operation->answer_item));
                    }
                    return std::find(entities.begin(), entities.end(), &entity) != entities.end();
                })) {
                shown.push_back(&entity);
            }
        }
        return shown;
    }

    struct Variant {
        const Model* model;
        const Entity* entity;
        std::string value;
    };

    const std::vector<const Model*>& models_;
    const EndpointFilter& shown_;
    std::map<std::string, Variant> variants_;
    std::string text_;
    JsonWriter json_;
};

}  // namespace

std::string render_openapi(const std::vector<const Model*>& models, const EndpointFilter& shown) {
    return Document(models, shown).render();
}

}  // namespace gateleg::model

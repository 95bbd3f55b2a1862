#include "model/client_typescript.h"

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "model/client_base.h"
#include "model/client_surface.h"

namespace gateleg::model {
namespace {

using Place = Parameter::Place;

std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string property(std::string_view name) {
    return is_plain_identifier(name) ? std::string(name) : quoted(name);
}

std::string member_of(std::string_view object, std::string_view name) {
    return std::string(object) +
           (is_plain_identifier(name) ? "." + std::string(name) : "[" + quoted(name) + "]");
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        out.append(out.empty() ? "" : separator).append(part);
    }
    return out;
}

// Whether a value is on its way to the server, where a field with a default may be left out.
enum class Way { kIn, kOut };

std::string type_of_value(const Attribute& attribute, Way way);

std::string fields_type(const std::vector<Attribute>& fields, Way way) {
    std::vector<std::string> parts;
    for (const auto& field : fields) {
        const bool there = field.required && (way == Way::kOut || !field.default_value);
        parts.push_back(
            property(field.name) + (there ? ": " : "?: ") + type_of_value(field, way) +
            (field.keep_null || (way == Way::kIn && !there) ? " | null" : "")
        );
    }
    return "{ " + joined(parts, "; ") + " }";
}

std::string object_type(const Attribute& map, Way way) {
    if (map.fields.empty()) {
        return map.of ? "Record<string, " + type_of_value(*map.of, way) + ">" : "JsonObject";
    }
    const auto known = fields_type(map.fields, way);
    return map.open ? "(" + known + " & { [name: string]: unknown })" : known;
}

std::string type_of_value(const Attribute& attribute, Way way) {
    switch (attribute.type) {
        case AttributeType::kString:
        case AttributeType::kTimestamp:
        case AttributeType::kUlid:
        case AttributeType::kUuid:
        case AttributeType::kBinary:
            return "string";
        case AttributeType::kInteger:
        case AttributeType::kNumber:
            return "number";
        case AttributeType::kBoolean:
            return "boolean";
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            return attribute.json_number ? "number" : "string";
        case AttributeType::kEnum: {
            std::vector<std::string> values;
            for (const auto& value : attribute.values) {
                values.push_back(quoted(value));
            }
            return values.empty() ? "string" : joined(values, " | ");
        }
        case AttributeType::kList:
        case AttributeType::kSet:
            return attribute.of ? "(" + type_of_value(*attribute.of, way) + ")[]" : "JsonValue[]";
        case AttributeType::kMap:
            return object_type(attribute, way);
        case AttributeType::kAny:
            return "JsonValue";
    }
    return "JsonValue";
}

class TypeScript {
public:
    explicit TypeScript(const Model& model)
        : model_(model), calls_(client_calls(model)), entities_(client_entities(model, calls_)) {
        std::string word;
        for (const char c : std::string(kTypeScriptNames) + " ") {
            if (c == ' ') {
                taken_.insert(std::move(word));
                word.clear();
            } else {
                word += c;
            }
        }
        client_ = claim_name(taken_, pascal_case(model.name) + "Client");
        for (const auto* entity : entities_) {
            names_[entity] = claim_name(taken_, pascal_case(entity->name));
        }
    }

    std::string render() {
        out_ = "// Client of the model " + quoted(model_.name) +
               ", made by `gateleg generate typescript`. Do not edit: generate it again.\n";
        out_ += kTypeScriptBase;
        for (const auto* entity : entities_) {
            write_entity(*entity);
        }
        std::string methods;
        for (const auto& call : calls_) {
            methods += write_call(call);
        }
        out_ += "\nexport class " + client_ +
                " {\n  readonly #options: ClientOptions;\n\n"
                "  constructor(options: ClientOptions) {\n    this.#options = options;\n  }\n" +
                methods + "}\n";
        return std::move(out_);
    }

private:
    void write_entity(const Entity& entity) {
        out_ += "\nexport interface " + names_[&entity] + " {\n";
        for (const auto& attribute : entity.attributes) {
            if (is_shown(attribute)) {
                out_ += "  " + property(attribute.name) +
                        (is_always_there(entity, attribute) ? ": " : "?: ") +
                        type_of_value(attribute, Way::kOut) +
                        (attribute.keep_null ? " | null" : "") + ";\n";
            }
        }
        if (entity.open) {
            out_ += "  [name: string]: unknown;\n";
        }
        out_ += "}\n";
    }

    // One entity as one call answers with it.
    std::string item_type(const ClientCall& call, const Entity& entity) {
        auto type = names_[&entity];
        if (call.endpoint.pattern != nullptr && !call.endpoint.pattern->returns.empty()) {
            std::vector<std::string> kept;
            for (const auto* attribute : shown_attributes(call, entity)) {
                kept.push_back(quoted(attribute->name));
            }
            type = "Pick<" + type + ", " + (kept.empty() ? "never" : joined(kept, " | ")) + ">";
        }
        if (call.entities.size() > 1) {
            type = "(" + type + " & { " + property(discriminator(model_)) + ": " +
                   quoted(discriminator_value(entity, call.entities)) + " })";
        }
        return type;
    }

    std::string item_types(const ClientCall& call) {
        std::vector<std::string> types;
        for (const auto* entity : call.entities) {
            types.push_back(item_type(call, *entity));
        }
        return types.empty() ? "JsonValue" : joined(types, " | ");
    }

    std::string answer_type(const ClientCall& call) {
        switch (call.answer) {
            case AnswerKind::kItem:
                return item_types(call) + (call.may_be_unchanged ? " | Changed" : "");
            case AnswerKind::kPage:
                return "Page<" + item_types(call) + ">";
            case AnswerKind::kCount:
                return "Count";
            case AnswerKind::kChanged:
                return "Changed";
            case AnswerKind::kFields:
                return fields_type(call.endpoint.operation->answer, Way::kOut);
            case AnswerKind::kAny:
                return "JsonValue";
        }
        return "JsonValue";
    }

    static std::string parameter_type(const Parameter& parameter) {
        if (parameter.attribute == nullptr || parameter.whole_day) {
            return "string";
        }
        return type_of_value(*parameter.attribute, Way::kIn);
    }

    static bool has_input(const ClientCall& call) {
        const auto& endpoint = call.endpoint;
        return !endpoint.parameters.empty() || !endpoint.rest.empty() || endpoint.is_paged() ||
               is_either(endpoint);
    }
    static bool is_either(const Endpoint& endpoint) {
        return endpoint.is_list() && endpoint.pattern->order == Pattern::Order::kEither;
    }

    void write_input(const ClientCall& call, const std::string& type) {
        const auto& endpoint = call.endpoint;
        out_ += "\nexport interface " + type + " {\n";
        for (const auto& parameter : endpoint.parameters) {
            const bool needed = parameter.required || parameter.place == Place::kPath;
            out_ += "  " + property(parameter.name) + (needed ? ": " : "?: ") +
                    parameter_type(parameter) +
                    (!needed && parameter.place == Place::kBody ? " | null" : "") + ";\n";
        }
        if (!endpoint.rest.empty()) {
            out_ += "  /** Further fields of the request. */\n  " + property(endpoint.rest) +
                    "?: JsonObject;\n";
        }
        if (endpoint.is_paged()) {
            out_ += "  /** 1 to 100, 25 if not given. */\n  limit?: number;\n  cursor?: string;\n";
        }
        if (is_either(endpoint)) {
            out_ += "  order?: \"asc\" | \"desc\";\n";
        }
        out_ += "}\n";
    }

    static std::string path_text(const Endpoint& endpoint) {
        std::string out = "`";
        for (std::size_t at = 0; at < endpoint.path.size(); ++at) {
            const auto end = endpoint.path[at] == '{' ? endpoint.path.find('}', at) : at;
            if (endpoint.path[at] != '{' || end == std::string::npos) {
                out += endpoint.path[at];
                continue;
            }
            const auto name = endpoint.path.substr(at + 1, end - at - 1);
            out += "${segment(" + quoted(name) + ", " + member_of("input", name) + ")}";
            at = end;
        }
        return out + "`";
    }

    static std::string request_text(const ClientCall& call) {
        const auto& endpoint = call.endpoint;
        std::vector<std::string> query;
        std::vector<std::string> body;
        if (!endpoint.rest.empty()) {
            body.push_back("..." + member_of("input", endpoint.rest));
        }
        for (const auto& parameter : endpoint.parameters) {
            if (parameter.place != Place::kPath) {
                (parameter.place == Place::kQuery ? query : body)
                    .push_back(
                        property(parameter.name) + ": " + member_of("input", parameter.name)
                    );
            }
        }
        if (endpoint.is_paged()) {
            query.insert(query.end(), {"limit: input.limit", "cursor: input.cursor"});
        }
        if (is_either(endpoint)) {
            query.emplace_back("order: input.order");
        }
        std::string out = "{ method: " + quoted(endpoint.method) + ", path: " + path_text(endpoint);
        out += query.empty() ? "" : ", query: { " + joined(query, ", ") + " }";
        out += body.empty() ? "" : ", body: { " + joined(body, ", ") + " }";
        out += endpoint.takes_idempotency_key() ? ", keyed: true" : "";
        out += call.answer == AnswerKind::kAny ? ", any: true" : "";
        return out + " }";
    }

    static std::string comment(const ClientCall& call) {
        const auto& endpoint = call.endpoint;
        auto text = endpoint.method + " " + endpoint.path;
        for (const auto& [name, value] : endpoint.fixed) {
            text += " " + name + "=" + value;
        }
        text += "; " + endpoint.access().text();
        if (endpoint.pattern != nullptr && !endpoint.pattern->doc.empty()) {
            text += "; " + endpoint.pattern->doc;
        }
        // A comment ends where its text says so.
        for (auto at = text.find("*/"); at != std::string::npos; at = text.find("*/")) {
            text.replace(at, 2, "* /");
        }
        return "\n  /** " + text + " */\n";
    }

    // Types before the class; gives the methods.
    std::string write_call(const ClientCall& call) {
        const auto base = pascal_case(call.name);
        const auto error = claim_name(taken_, base + "Error");
        std::vector<std::string> codes;
        for (const auto& code : call.errors) {
            codes.push_back(quoted(code));
        }
        out_ += "\nexport type " + error + " = " + joined(codes, " | ") + ";\n";
        std::string input;
        std::string argument;
        if (has_input(call)) {
            input = claim_name(taken_, base + "Input");
            write_input(call, input);
            argument = "input: " + input + (call.all_optional() ? " = {}, " : ", ");
        }
        const auto answer = answer_type(call);
        auto method = comment(call) + "  " + call.name + "(" + argument +
                      "call: CallOptions = {}): Call<" + answer + ", " + error +
                      "> {\n    return new Call<" + answer + ", " + error + ">((async () => send<" +
                      answer + ">(this.#options, " + request_text(call) + ", call))());\n  }\n";
        if (call.endpoint.is_paged()) {
            method += "\n  /** Every item of " + call.name + "(), page after page. */\n  iterate" +
                      base + "(" + argument + "call: CallOptions = {}): AsyncGenerator<" +
                      item_types(call) +
                      ", void, undefined> {\n    return pages((cursor) => this." + call.name +
                      "(cursor === undefined ? input : { ...input, cursor }, call));\n  }\n";
        }
        return method;
    }

    const Model& model_;
    std::vector<ClientCall> calls_;
    std::vector<const Entity*> entities_;
    std::map<const Entity*, std::string> names_;
    std::set<std::string> taken_;
    std::string client_;
    std::string out_;
};

}  // namespace

std::string to_typescript(const Model& model) {
    return TypeScript(model).render();
}

}  // namespace gateleg::model

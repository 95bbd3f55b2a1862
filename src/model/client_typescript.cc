#include "model/client_typescript.h"

#include "base/json_writer.h"
#include "model/client_base.h"
#include "model/client_writer.h"

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

std::set<std::string> base_names() {
    std::set<std::string> names;
    std::string word;
    for (const char c : std::string(kTypeScriptNames) + " ") {
        if (c == ' ') {
            names.insert(std::move(word));
            word.clear();
        } else {
            word += c;
        }
    }
    return names;
}

class TypeScript final : ClientWriter {
public:
    explicit TypeScript(const Model& model) : ClientWriter(model, base_names()) {}

    std::string render() {
        out_ = "// Client of the model " + quoted(model().name) +
               ", made by `gateleg generate typescript`. Do not edit: generate it again.\n";
        out_ += kTypeScriptBase;
        const auto methods = write_calls();
        out_ += "\nexport class " + client_name() +
                " {\n  readonly #options: ClientOptions;\n\n"
                "  constructor(options: ClientOptions) {\n    this.#options = options;\n  }\n" +
                methods + "}\n";
        return std::move(out_);
    }

private:
    void write_entity(const Entity& entity) override {
        out_ += "\nexport interface " + name_of(entity) + " {\n";
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
        auto type = name_of(entity);
        if (call.endpoint.pattern != nullptr && !call.endpoint.pattern->returns.empty()) {
            std::vector<std::string> kept;
            for (const auto* attribute : shown_attributes(call, entity)) {
                kept.push_back(quoted(attribute->name));
            }
            type = "Pick<" + type + ", " + (kept.empty() ? "never" : joined(kept, " | ")) + ">";
        }
        if (call.entities.size() > 1) {
            type = "(" + type + " & { " + property(discriminator(model())) + ": " +
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

    static std::string input_type(const ClientInput& input) {
        switch (input.kind) {
            case ClientInput::Kind::kParameter: {
                const auto type = input.attribute == nullptr
                                      ? std::string("string")
                                      : type_of_value(*input.attribute, Way::kIn);
                return type + (!input.needed && input.place == Place::kBody ? " | null" : "");
            }
            case ClientInput::Kind::kRest:
                return "JsonObject";
            case ClientInput::Kind::kLimit:
                return "number";
            case ClientInput::Kind::kCursor:
                return "string";
            case ClientInput::Kind::kOrder:
                return "\"asc\" | \"desc\"";
        }
        return "string";
    }

    void write_input(const std::vector<ClientInput>& inputs, const std::string& type) {
        out_ += "\nexport interface " + type + " {\n";
        for (const auto& input : inputs) {
            if (input.kind == ClientInput::Kind::kRest) {
                out_ += "  /** Further fields of the request. */\n";
            } else if (input.kind == ClientInput::Kind::kLimit) {
                out_ += "  /** 1 to 100, 25 if not given. */\n";
            }
            out_ += "  " + property(input.name) + (input.needed ? ": " : "?: ") +
                    input_type(input) + ";\n";
        }
        out_ += "}\n";
    }

    static std::string path_text(const Endpoint& endpoint) {
        std::string out = "`";
        for (const auto& [text, is_variable] : path_parts(endpoint.path)) {
            out += is_variable
                       ? "${segment(" + quoted(text) + ", " + member_of("input", text) + ")}"
                       : text;
        }
        return out + "`";
    }

    static std::string request_text(
        const ClientCall& call, const std::vector<ClientInput>& inputs
    ) {
        const auto& endpoint = call.endpoint;
        std::vector<std::string> query;
        std::vector<std::string> body;
        for (const auto& input : inputs) {
            const auto member = member_of("input", input.name);
            if (input.kind == ClientInput::Kind::kRest) {
                // First, so that a field with a name of its own wins.
                body.insert(body.begin(), "..." + member);
            } else if (input.place != Place::kPath) {
                (input.place == Place::kQuery ? query : body)
                    .push_back(property(input.name) + ": " + member);
            }
        }
        std::string out = "{ method: " + quoted(endpoint.method) + ", path: " + path_text(endpoint);
        out += query.empty() ? "" : ", query: { " + joined(query, ", ") + " }";
        out += body.empty() ? "" : ", body: { " + joined(body, ", ") + " }";
        out += endpoint.takes_idempotency_key() ? ", keyed: true" : "";
        out += call.answer == AnswerKind::kAny ? ", any: true" : "";
        return out + " }";
    }

    static std::string comment(const ClientCall& call) {
        auto text = summary_of(call);
        // A comment ends where its text says so.
        for (auto at = text.find("*/"); at != std::string::npos; at = text.find("*/")) {
            text.replace(at, 2, "* /");
        }
        return "\n  /** " + text + " */\n";
    }

    std::string write_call(const ClientCall& call) override {
        const auto base = pascal_case(call.name);
        const auto error = claim(base + "Error");
        std::vector<std::string> codes;
        for (const auto& code : call.errors) {
            codes.push_back(quoted(code));
        }
        out_ += "\nexport type " + error + " = " + joined(codes, " | ") + ";\n";
        const auto inputs = inputs_of(call);
        std::string argument;
        if (!inputs.empty()) {
            const auto input = claim(base + "Input");
            write_input(inputs, input);
            argument = "input: " + input + (call.all_optional() ? " = {}, " : ", ");
        }
        const auto answer = answer_type(call);
        auto method = comment(call) + "  " + call.name + "(" + argument +
                      "call: CallOptions = {}): Call<" + answer + ", " + error +
                      "> {\n    return new Call<" + answer + ", " + error + ">((async () => send<" +
                      answer + ">(this.#options, " + request_text(call, inputs) +
                      ", call))());\n  }\n";
        if (call.endpoint.is_paged()) {
            method += "\n  /** Every item of " + call.name + "(), page after page. */\n  iterate" +
                      base + "(" + argument + "call: CallOptions = {}): AsyncGenerator<" +
                      item_types(call) +
                      ", void, undefined> {\n    return pages((cursor) => this." + call.name +
                      "(cursor === undefined ? input : { ...input, cursor }, call));\n  }\n";
        }
        return method;
    }
};

}  // namespace

std::string to_typescript(const Model& model) {
    return TypeScript(model).render();
}

}  // namespace gateleg::model

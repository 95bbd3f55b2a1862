#include "model/client_cpp.h"

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "model/client_base.h"
#include "model/client_surface.h"

namespace gateleg::model {
namespace {

using Place = Parameter::Place;

constexpr std::string_view kIncludes =
    "#pragma once\n\n"
    "#include <algorithm>\n#include <cctype>\n#include <chrono>\n#include <cstddef>\n"
    "#include <cstdint>\n#include <cstdlib>\n#include <map>\n#include <memory>\n"
    "#include <optional>\n#include <random>\n#include <stdexcept>\n#include <string>\n"
    "#include <string_view>\n#include <thread>\n#include <utility>\n#include <variant>\n"
    "#include <vector>\n\n";

std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string safe_name(std::string_view name) {
    static const std::set<std::string_view> kWords = {
        "alignas",   "alignof",   "and",       "asm",      "auto",      "bool",     "break",
        "case",      "catch",     "char",      "class",    "compl",     "concept",  "const",
        "consteval", "constexpr", "constinit", "continue", "decltype",  "default",  "delete",
        "do",        "double",    "else",      "enum",     "explicit",  "export",   "extern",
        "false",     "final",     "float",     "for",      "friend",    "goto",     "if",
        "inline",    "int",       "long",      "mutable",  "namespace", "new",      "noexcept",
        "not",       "nullptr",   "operator",  "or",       "override",  "private",  "protected",
        "public",    "register",  "requires",  "return",   "short",     "signed",   "sizeof",
        "static",    "struct",    "switch",    "template", "this",      "throw",    "true",
        "try",       "typedef",   "typeid",    "typename", "union",     "unsigned", "using",
        "virtual",   "void",      "volatile",  "while",    "xor",       "std",      "errno",
        "others"};
    std::string out(name);
    if (!is_plain_identifier(out)) {
        out = camel_case(name);
    }
    // Names with two underscores belong to the compiler.
    for (auto at = out.find("__"); at != std::string::npos; at = out.find("__")) {
        out.erase(at, 1);
    }
    return kWords.contains(out) || out.starts_with('_') ? "m" + pascal_case(out) : out;
}

class Cpp {
public:
    explicit Cpp(const Model& model)
        : model_(model), calls_(client_calls(model)), entities_(client_entities(model, calls_)) {
        taken_ = {
            "Number",
            "Json",
            "Request",
            "Response",
            "TransportError",
            "Transport",
            "ApiError",
            "CallOptions",
            "Page",
            "Errors"};
        client_ = claim_name(taken_, pascal_case(model.name) + "Client");
        for (const auto* entity : entities_) {
            names_[entity] = claim_name(taken_, pascal_case(entity->name));
        }
    }

    std::string render() {
        out_ = "// Client of the model " + quoted(model_.name) +
               ", made by `gateleg generate cpp`. Do not edit: generate it again.\n\n";
        out_ += kIncludes;
        const auto space = "gateleg_" + safe_name(model_.name);
        out_ += "namespace " + space + " {\n";
        out_ += kCppBase;
        write_errors();
        for (const auto* entity : entities_) {
            write_struct(names_[entity], entity_members(*entity), entity->open);
        }
        std::string methods;
        for (const auto& call : calls_) {
            methods += write_call(call);
        }
        out_ += "\n// One thread at a time.\nclass " + client_ +
                " : public ClientBase {\npublic:\n    using ClientBase::ClientBase;\n" + methods +
                "};\n\n}  // namespace " + space + "\n";
        return std::move(out_);
    }

private:
    struct Member {
        std::string json;  // its name on the wire
        std::string type;
    };

    // Maps with fields become structs of their own, written before the one that uses them.
    std::string type_of_value(const Attribute& attribute, const std::string& owner) {
        switch (attribute.type) {
            case AttributeType::kString:
            case AttributeType::kTimestamp:
            case AttributeType::kUlid:
            case AttributeType::kUuid:
            case AttributeType::kBinary:
            case AttributeType::kEnum:
                return "std::string";
            case AttributeType::kInteger:
                return "std::int64_t";
            case AttributeType::kNumber:
                return "Number";
            case AttributeType::kBoolean:
                return "bool";
            case AttributeType::kEpochSeconds:
            case AttributeType::kEpochMillis:
                return attribute.json_number ? "std::int64_t" : "std::string";
            case AttributeType::kList:
            case AttributeType::kSet:
                // A vector<bool> gives no references.
                return attribute.of && attribute.of->type != AttributeType::kBoolean
                           ? "std::vector<" + type_of_value(*attribute.of, owner) + ">"
                           : "std::vector<Json>";
            case AttributeType::kMap:
                if (!attribute.fields.empty()) {
                    return map_struct(attribute, owner);
                }
                return attribute.of
                           ? "std::map<std::string, " + type_of_value(*attribute.of, owner) + ">"
                           : "Json::Object";
            case AttributeType::kAny:
                return "Json";
        }
        return "Json";
    }

    std::string map_struct(const Attribute& map, const std::string& owner) {
        const auto name = claim_name(taken_, owner);
        std::vector<Member> members;
        for (const auto& field : map.fields) {
            const auto type = type_of_value(field, name + pascal_case(field.name));
            members.push_back(
                {field.name,
                 field.required && !field.keep_null ? type : "std::optional<" + type + ">"}
            );
        }
        write_struct(name, members, map.open);
        return name;
    }

    std::vector<Member> entity_members(const Entity& entity) {
        std::vector<Member> members;
        for (const auto& attribute : entity.attributes) {
            if (!is_shown(attribute)) {
                continue;
            }
            const auto type =
                type_of_value(attribute, names_[&entity] + pascal_case(attribute.name));
            members.push_back(
                {attribute.name,
                 is_always_there(entity, attribute) && !attribute.keep_null
                     ? type
                     : "std::optional<" + type + ">"}
            );
        }
        return members;
    }

    void write_struct(const std::string& name, const std::vector<Member>& members, bool open) {
        out_ += "\nstruct " + name + " {\n";
        for (const auto& member : members) {
            out_ += "    " + member.type + " " + safe_name(member.json) + "{};\n";
        }
        if (open) {
            out_ += "    Json::Object others;  // what the model does not name\n";
        }
        out_ += "};\ninline void read([[maybe_unused]] const Json& json, [[maybe_unused]] " + name +
                "& out) {\n";
        for (const auto& member : members) {
            out_ += "    read(json[" + quoted(member.json) + "], out." + safe_name(member.json) +
                    ");\n";
        }
        if (open) {
            out_ += "    read(json, out.others);\n";
            for (const auto& member : members) {
                out_ += "    out.others.erase(" + quoted(member.json) + ");\n";
            }
        }
        out_ += "}\ninline void write(Json& out, [[maybe_unused]] const " + name +
                "& value) {\n    Json::Object members" + (open ? " = value.others" : "") + ";\n";
        for (const auto& member : members) {
            out_ += "    put(members, " + quoted(member.json) + ", value." +
                    safe_name(member.json) + ");\n";
        }
        out_ += "    out = Json(std::move(members));\n}\n";
    }

    void write_errors() {
        std::set<std::string> codes;
        for (const auto& call : calls_) {
            codes.insert(call.errors.begin(), call.errors.end());
        }
        out_ += "\n// Codes of ApiError.\nstruct Errors {\n";
        for (const auto& code : codes) {
            out_ += "    static constexpr const char* k" + pascal_case(code) + " = " +
                    quoted(code) + ";\n";
        }
        out_ += "};\n";
    }

    // The type of one item of the answer; a variant where there are several entities.
    std::string item_type(const ClientCall& call, const std::string& base) {
        if (call.answer == AnswerKind::kFields) {
            Attribute answer;
            answer.fields = call.endpoint.operation->answer;
            return map_struct(answer, base + "Answer");
        }
        if (call.entities.empty()) {
            return "Json";
        }
        if (call.entities.size() == 1) {
            return names_[call.entities.front()];
        }
        const auto name = claim_name(taken_, base + "Item");
        std::string types;
        for (const auto* entity : call.entities) {
            types += (types.empty() ? "" : ", ") + names_[entity];
        }
        out_ += "\nstruct " + name + " {\n    std::variant<" + types +
                "> value;\n};\ninline void read(const Json& json, " + name + "& out) {\n" +
                "    std::string kind;\n    read(json[" + quoted(discriminator(model_)) +
                "], kind);\n";
        for (const auto* entity : call.entities) {
            out_ += "    if (kind == " + quoted(discriminator_value(*entity, call.entities)) +
                    ") {\n        read(json, out.value.emplace<" + names_[entity] +
                    ">());\n    }\n";
        }
        out_ += "}\n";
        return name;
    }

    static bool is_either(const Endpoint& endpoint) {
        return endpoint.is_list() && endpoint.pattern->order == Pattern::Order::kEither;
    }
    static bool has_input(const Endpoint& endpoint) {
        return !endpoint.parameters.empty() || !endpoint.rest.empty() || endpoint.is_paged() ||
               is_either(endpoint);
    }

    void write_input(const ClientCall& call, const std::string& name) {
        const auto& endpoint = call.endpoint;
        std::string body = "\nstruct " + name + " {\n";
        for (const auto& parameter : endpoint.parameters) {
            const bool needed = parameter.required || parameter.place == Place::kPath;
            const auto type =
                parameter.attribute == nullptr || parameter.whole_day
                    ? std::string("std::string")
                    : type_of_value(*parameter.attribute, name + pascal_case(parameter.name));
            body += "    " + (needed ? type : "std::optional<" + type + ">") + " " +
                    safe_name(parameter.name) + "{};\n";
        }
        if (!endpoint.rest.empty()) {
            body += "    Json::Object " + safe_name(endpoint.rest) + ";  // further fields\n";
        }
        if (endpoint.is_paged()) {
            body +=
                "    std::optional<std::int64_t> limit{};\n"
                "    std::optional<std::string> cursor{};\n";
        }
        if (is_either(endpoint)) {
            body += "    std::optional<std::string> order{};  // asc or desc\n";
        }
        out_ += body + "};\n";
    }

    static std::string target_text(const Endpoint& endpoint) {
        std::string out;
        std::string literal;
        const auto flush = [&] {
            if (!literal.empty()) {
                out += (out.empty() ? "std::string(" : " + ") + quoted(literal) +
                       (out.empty() ? ")" : "");
                literal.clear();
            }
        };
        for (std::size_t at = 0; at < endpoint.path.size(); ++at) {
            const auto end = endpoint.path[at] == '{' ? endpoint.path.find('}', at) : at;
            if (endpoint.path[at] != '{' || end == std::string::npos) {
                literal += endpoint.path[at];
                continue;
            }
            flush();
            const auto name = endpoint.path.substr(at + 1, end - at - 1);
            out += " + detail::segment(" + quoted(name) + ", input." + safe_name(name) + ")";
            at = end;
        }
        flush();
        return out;
    }

    // What comes before the call itself: target, query, body.
    static std::string prepare_text(const ClientCall& call) {
        const auto& endpoint = call.endpoint;
        std::string out = "        auto target = " + target_text(endpoint) + ";\n";
        const auto add = [&](const std::string& name) {
            out += "        detail::add_query(target, " + quoted(name) + ", input." +
                   safe_name(name) + ");\n";
        };
        for (const auto& parameter : endpoint.parameters) {
            if (parameter.place == Place::kQuery) {
                add(parameter.name);
            }
        }
        if (endpoint.is_paged()) {
            add("limit");
            add("cursor");
        }
        if (is_either(endpoint)) {
            add("order");
        }
        if (!call.has_body()) {
            return out;
        }
        out += "        Json::Object body" +
               (endpoint.rest.empty() ? std::string() : " = input." + safe_name(endpoint.rest)) +
               ";\n";
        for (const auto& parameter : endpoint.parameters) {
            if (parameter.place == Place::kBody) {
                out += "        put(body, " + quoted(parameter.name) + ", input." +
                       safe_name(parameter.name) + ");\n";
            }
        }
        return out;
    }

    static std::string comment(const ClientCall& call) {
        const auto& endpoint = call.endpoint;
        auto text = endpoint.method + " " + endpoint.path;
        for (const auto& [name, value] : endpoint.fixed) {
            text += " " + name + "=" + value;
        }
        text += "; " + endpoint.access().text();
        std::string codes;
        for (const auto& code : call.errors) {
            codes += (codes.empty() ? "" : ", ") + code;
        }
        for (auto& c : text) {
            c = c == '\n' || c == '\\' ? ' ' : c;
        }
        return "\n    // " + text + "\n    // Errors: " + codes + "\n";
    }

    // The types a call needs go before the class; gives its methods.
    std::string write_call(const ClientCall& call) {
        const auto& endpoint = call.endpoint;
        const auto base = pascal_case(call.name);
        const bool counts = call.answer == AnswerKind::kCount;
        const bool nothing = call.answer == AnswerKind::kChanged;
        const auto item = counts || nothing ? std::string() : item_type(call, base);
        std::string input;
        std::string argument;
        if (has_input(endpoint)) {
            input = claim_name(taken_, base + "Input");
            write_input(call, input);
            argument = "const " + input + "& input" + (call.all_optional() ? " = {}, " : ", ");
        }
        const auto name = safe_name(call.name);
        const auto sent = "call(" + quoted(endpoint.method) + ", target, " +
                          (call.has_body() ? "std::move(body)" : "std::nullopt") + ", " +
                          (endpoint.takes_idempotency_key() ? "true" : "false") + ", options" +
                          (call.answer == AnswerKind::kAny ? ", true)" : ")");
        const auto method = [&](const std::string& type, const std::string& rest) {
            return comment(call) + "    " + type + " " + name + "(" + argument +
                   "const CallOptions& options = {}) {\n" + prepare_text(call) +
                   "        const auto json = " + sent + ";\n" + rest + "    }\n";
        };
        if (nothing || counts) {
            return method(
                nothing ? "bool" : "std::int64_t",
                std::string(nothing ? "        bool" : "        std::int64_t") +
                    " out{};\n        read(json[" + (nothing ? "\"changed\"" : "\"count\"") +
                    "], out);\n        return out;\n"
            );
        }
        if (call.answer == AnswerKind::kPage) {
            const auto page = "Page<" + item + ">";
            auto text = method(
                page,
                "        " + page + " out;\n        read(json[\"items\"], out.items);\n" +
                    "        read(json[\"cursor\"], out.cursor);\n        return out;\n"
            );
            return text + (endpoint.is_paged() ? iterate_text(call, base, input) : "");
        }
        if (call.may_be_unchanged) {
            return method(
                "std::optional<" + item + ">",
                "        if (json[\"changed\"].boolean() != nullptr && "
                "!*json[\"changed\"].boolean()) {\n            return std::nullopt;\n        }\n"
                "        " +
                    item + " out{};\n        read(json, out);\n        return out;\n"
            );
        }
        return method(
            item, "        " + item + " out{};\n        read(json, out);\n        return out;\n"
        );
    }

    static std::string iterate_text(
        const ClientCall& call, const std::string& base, const std::string& input
    ) {
        return "\n    // Every item of " + call.name +
               "(), page after page.\n    template <class Each>\n    void iterate" + base + "(" +
               input + " input, Each each, const CallOptions& options = {}) {\n        do {\n" +
               "            auto page = " + safe_name(call.name) +
               "(input, options);\n            for (auto& item : page.items) {\n"
               "                each(item);\n            }\n"
               "            input.cursor = std::move(page.cursor);\n"
               "        } while (input.cursor);\n    }\n";
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

std::string to_cpp(const Model& model) {
    return Cpp(model).render();
}

}  // namespace gateleg::model

#include "model/client_cpp.h"

#include <map>

#include "base/json_writer.h"
#include "model/client_base.h"
#include "model/client_writer.h"

namespace gateleg::model {
namespace {

using Place = Parameter::Place;

constexpr std::string_view kIncludes =
    "#pragma once\n\n"
    "#include <algorithm>\n#include <cctype>\n#include <chrono>\n#include <cstddef>\n"
    "#include <cstdint>\n#include <cstdlib>\n#include <initializer_list>\n#include <map>\n#include "
    "<memory>\n"
    "#include <optional>\n#include <random>\n#include <stdexcept>\n#include <string>\n"
    "#include <string_view>\n#include <thread>\n#include <type_traits>\n#include "
    "<utility>\n#include <variant>\n"
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

const std::set<std::string> kBaseNames = {
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

class Cpp final : ClientWriter {
public:
    explicit Cpp(const Model& model) : ClientWriter(model, kBaseNames) {}

    std::string render() {
        out_ = "// Client of the model " + quoted(model().name) +
               ", made by `gateleg generate cpp`. Do not edit: generate it again.\n\n";
        out_ += kIncludes;
        const auto space = "gateleg_" + safe_name(model().name);
        out_ += "namespace " + space + " {\n";
        out_ += kCppBase;
        write_errors();
        const auto methods = write_calls();
        out_ += "\n// One thread at a time.\nclass " + client_name() +
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
                return "std::string";
            case AttributeType::kEnum:
                return enum_class(attribute, owner);
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

    // Attributes and inputs of one name with the same values share their enum.
    std::string enum_class(const Attribute& attribute, const std::string& owner) {
        if (attribute.values.empty()) {
            return "std::string";
        }
        auto& name = enums_[{attribute.name, attribute.values}];
        if (name.empty()) {
            name = claim(owner);
            write_enum(name, attribute.values);
        }
        return name;
    }

    void write_enum(const std::string& name, const std::vector<std::string>& values) {
        std::set<std::string> taken = {"kUnrecognised"};
        std::string words;
        std::string cases;
        std::string all;
        for (const auto& value : values) {
            const auto word = claim_name(taken, "k" + pascal_case(value));
            words += "    " + word + ",\n";
            cases += "        case " + name + "::" + word + ":\n            return " +
                     quoted(value) + ";\n";
            all += (all.empty() ? "" : ", ") + name + "::" + word;
        }
        out_ += "\nenum class " + name +
                " {\n    kUnrecognised,  // nothing, or a value that this header does not know\n" +
                words + "};\ninline std::string_view to_text(" + name +
                " value) {\n    switch (value) {\n" + cases + "        case " + name +
                "::kUnrecognised:\n            break;\n    }\n    return {};\n}\n"
                "inline bool from_text(std::string_view text, " +
                name + "& out) {\n    for (const auto value : {" + all +
                "}) {\n        if (to_text(value) == text) {\n            out = value;\n"
                "            return true;\n        }\n    }\n    out = " +
                name + "::kUnrecognised;\n    return false;\n}\n";
    }

    std::string map_struct(const Attribute& map, const std::string& owner) {
        const auto name = claim(owner);
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

    void write_entity(const Entity& entity) override {
        std::vector<Member> members;
        for (const auto& attribute : entity.attributes) {
            if (!is_shown(attribute)) {
                continue;
            }
            const auto type =
                type_of_value(attribute, name_of(entity) + pascal_case(attribute.name));
            members.push_back(
                {attribute.name,
                 is_always_there(entity, attribute) && !attribute.keep_null
                     ? type
                     : "std::optional<" + type + ">"}
            );
        }
        write_struct(name_of(entity), members, entity.open);
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
        for (const auto& call : calls()) {
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
            return name_of(*call.entities.front());
        }
        const auto name = claim(base + "Item");
        std::string types;
        for (const auto* entity : call.entities) {
            types += (types.empty() ? "" : ", ") + name_of(*entity);
        }
        out_ += "\nstruct " + name + " {\n    std::variant<" + types +
                "> value;\n};\ninline void read(const Json& json, " + name + "& out) {\n" +
                "    std::string kind;\n    read(json[" + quoted(discriminator(model())) +
                "], kind);\n";
        for (const auto* entity : call.entities) {
            out_ += "    if (kind == " + quoted(discriminator_value(*entity, call.entities)) +
                    ") {\n        read(json, out.value.emplace<" + name_of(*entity) +
                    ">());\n    }\n";
        }
        out_ += "}\n";
        return name;
    }

    std::string input_type(const ClientInput& input, const std::string& owner) {
        switch (input.kind) {
            case ClientInput::Kind::kRest:
                return "Json::Object";
            case ClientInput::Kind::kLimit:
                return "std::optional<std::int64_t>";
            case ClientInput::Kind::kCursor:
            case ClientInput::Kind::kOrder:
                return "std::optional<std::string>";
            case ClientInput::Kind::kParameter:
                break;
        }
        const auto type = input.attribute == nullptr
                              ? std::string("std::string")
                              : type_of_value(*input.attribute, owner + pascal_case(input.name));
        return input.needed ? type : "std::optional<" + type + ">";
    }

    void write_input(const std::vector<ClientInput>& inputs, const std::string& name) {
        std::string body = "\nstruct " + name + " {\n";
        for (const auto& input : inputs) {
            body += "    " + input_type(input, name) + " " + safe_name(input.name) + "{};" +
                    (input.kind == ClientInput::Kind::kRest    ? "  // further fields\n"
                     : input.kind == ClientInput::Kind::kOrder ? "  // asc or desc\n"
                                                               : "\n");
        }
        out_ += body + "};\n";
    }

    static std::string target_text(const Endpoint& endpoint) {
        std::string out;
        for (const auto& [text, is_variable] : path_parts(endpoint.path)) {
            const auto part =
                is_variable ? "detail::segment(" + quoted(text) + ", input." + safe_name(text) + ")"
                            : quoted(text);
            out += out.empty() ? "std::string(" + part + ")" : " + " + part;
        }
        return out;
    }

    // What comes before the call itself: target, query, body.
    static std::string prepare_text(
        const ClientCall& call, const std::vector<ClientInput>& inputs
    ) {
        std::string rest;
        std::string query;
        std::string body;
        for (const auto& input : inputs) {
            const auto member = "input." + safe_name(input.name);
            if (input.kind == ClientInput::Kind::kRest) {
                rest = " = " + member;
            } else if (input.place == Place::kQuery) {
                query += "        detail::add_query(target, " + quoted(input.name) + ", " + member +
                         ");\n";
            } else if (input.place == Place::kBody) {
                body += "        put(body, " + quoted(input.name) + ", " + member + ");\n";
            }
        }
        return "        auto target = " + target_text(call.endpoint) + ";\n" + query +
               (call.has_body() ? "        Json::Object body" + rest + ";\n" + body : "");
    }

    static std::string comment(const ClientCall& call) {
        auto text = summary_of(call);
        std::string codes;
        for (const auto& code : call.errors) {
            codes += (codes.empty() ? "" : ", ") + code;
        }
        for (auto& c : text) {
            c = c == '\n' || c == '\\' ? ' ' : c;
        }
        return "\n    // " + text + "\n    // Errors: " + codes + "\n";
    }

    std::string write_call(const ClientCall& call) override {
        const auto& endpoint = call.endpoint;
        const auto base = pascal_case(call.name);
        const bool counts = call.answer == AnswerKind::kCount;
        const bool nothing = call.answer == AnswerKind::kChanged;
        const auto item = counts || nothing ? std::string() : item_type(call, base);
        const auto inputs = inputs_of(call);
        std::string input;
        std::string argument;
        if (!inputs.empty()) {
            input = claim(base + "Input");
            write_input(inputs, input);
            argument = "const " + input + "& input" + (call.all_optional() ? " = {}, " : ", ");
        }
        const auto name = safe_name(call.name);
        const auto sent = "call(" + quoted(endpoint.method) + ", target, " +
                          (call.has_body() ? "std::move(body)" : "std::nullopt") + ", " +
                          (endpoint.takes_idempotency_key() ? "true" : "false") + ", options" +
                          (call.answer == AnswerKind::kAny ? ", true)" : ")");
        const auto method = [&](const std::string& type, const std::string& rest) {
            return comment(call) + "    " + type + " " + name + "(" + argument +
                   "const CallOptions& options = {}) {\n" + prepare_text(call, inputs) +
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

    std::map<std::pair<std::string, std::vector<std::string>>, std::string> enums_;
};

}  // namespace

std::string to_cpp(const Model& model) {
    return Cpp(model).render();
}

}  // namespace gateleg::model

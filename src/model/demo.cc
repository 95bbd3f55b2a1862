#include "model/demo.h"

#include <map>

#include "model/reader.h"
#include "model/yaml_loader.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;

class Demo {
public:
    explicit Demo(Runtime& runtime) : runtime_(runtime) {}

    CallResult<std::int64_t> run(const Node& root) {
        std::int64_t calls = 0;
        for (const auto& entry : root.elements) {
            if (auto done = run_one(entry); !done) {
                auto error = done.error();
                error.message = "line " + std::to_string(entry.position.line) + ": " + error.code +
                                ": " + error.message;
                for (const auto& [field, what] : error.details) {
                    error.message += " (" + field + " " + what + ")";
                }
                return error;
            }
            ++calls;
        }
        return calls;
    }

private:
    static CallError invalid(std::string message) {
        return {400, "ValidationFailed", std::move(message)};
    }

    CallResult<Nothing> run_one(const Node& entry) {
        const auto text = [&](std::string_view key) {
            const auto* node = entry.is_map() ? entry.find(key) : nullptr;
            return node != nullptr ? node->text : std::string();
        };
        GATELEG_CALL_TRY_ASSIGN_CALL(auto arguments, read_arguments(entry));
        auto name_of_caller = AttributeValue{text("as")};
        if (!fill_in(name_of_caller) || !std::holds_alternative<std::string>(name_of_caller.data)) {
            return invalid("as names nothing that was kept");
        }
        const auto caller = read_caller(entry, std::get<std::string>(name_of_caller.data));
        AttributeValue answer;
        if (const auto pattern = text("get"); !pattern.empty()) {
            if (runtime_.model().find_pattern(pattern) == nullptr) {
                return invalid("there is no pattern " + pattern);
            }
            GATELEG_CALL_TRY_ASSIGN_CALL(
                auto found, runtime_.get(pattern, std::move(arguments), caller)
            );
            answer = AttributeValue{std::move(found.item)};
        } else {
            const auto name = text("run");
            if (runtime_.model().find_operation(name) == nullptr) {
                return invalid("there is no operation '" + name + "'");
            }
            // Some operations demand a key.
            const OperationCall call{
                .arguments = std::move(arguments),
                .idempotency_key = "demo-" + std::to_string(entry.position.line)};
            GATELEG_CALL_TRY_ASSIGN_CALL(auto reply, runtime_.run(name, call, caller));
            if (reply.body) {
                answer = std::move(*reply.body);
            }
        }
        if (const auto keep = text("keep"); !keep.empty()) {
            kept_[keep] = std::move(answer);
        }
        return Nothing{};
    }

    CallResult<Arguments> read_arguments(const Node& entry) {
        Arguments arguments;
        const auto* with = entry.is_map() ? entry.find("with") : nullptr;
        if (with == nullptr) {
            return arguments;
        }
        for (const auto& [key, node] : with->members) {
            auto value = plain_value(node);
            if (!fill_in(value)) {
                return invalid(key.text + " names nothing that was kept");
            }
            arguments[key.text] = std::move(value);
        }
        return arguments;
    }

    static Caller read_caller(const Node& entry, const std::string& user) {
        if (user.empty()) {
            return internal_caller();
        }
        const auto* roles = entry.find("roles");
        Caller caller{.user = user, .viewer = user};
        // What only C++ may call is still called in the name of a user.
        caller.internal = roles == nullptr;
        if (roles != nullptr) {
            for (const auto& role : roles->elements) {
                caller.roles.insert(role.text);
            }
        }
        return caller;
    }

    // Replaces texts such as $story.id, however deep. False if there is no such thing.
    bool fill_in(AttributeValue& value) const {
        if (auto* list = std::get_if<value::List>(&value.data)) {
            for (auto& element : *list) {
                if (!fill_in(element)) {
                    return false;
                }
            }
        } else if (auto* map = std::get_if<value::Map>(&value.data)) {
            for (auto& [name, member] : *map) {
                if (!fill_in(member)) {
                    return false;
                }
            }
        } else if (const auto* text = std::get_if<std::string>(&value.data);
                   text != nullptr && text->starts_with('$')) {
            const auto* found = find(std::string_view(*text).substr(1));
            if (found == nullptr) {
                return false;
            }
            value = AttributeValue(*found);
        }
        return true;
    }

    const AttributeValue* find(std::string_view path) const {
        const auto point = path.find('.');
        const auto kept = kept_.find(path.substr(0, point));
        const auto* value = kept != kept_.end() ? &kept->second : nullptr;
        auto rest = point == std::string_view::npos ? std::string_view() : path.substr(point + 1);
        while (value != nullptr && !rest.empty()) {
            const auto end = rest.find('.');
            const auto* map = std::get_if<value::Map>(&value->data);
            const auto member =
                map != nullptr ? map->find(rest.substr(0, end)) : value::Map::const_iterator();
            value = map != nullptr && member != map->end() ? &member->second : nullptr;
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
        return value;
    }

    Runtime& runtime_;
    std::map<std::string, AttributeValue, std::less<>> kept_;
};

}  // namespace

CallResult<std::int64_t> load_demo(std::string_view text, Runtime& runtime) {
    Diagnostics diagnostics("demo.yaml");
    const auto root = load_yaml(text, diagnostics);
    if (!root || diagnostics.has_errors() || !root->is_list()) {
        return CallError{
            400, "ValidationFailed", "the demo is no list of calls: " + diagnostics.to_text()};
    }
    return Demo(runtime).run(*root);
}

}  // namespace gateleg::model

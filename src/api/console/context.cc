#include "api/console/context.h"

#include <charconv>

#include "api/rest/problem.h"
#include "value/json_tree.h"

namespace gateleg::api::console {

using model::CallResult;

const System* Context::find_system(std::string_view name) const {
    for (const auto& system : systems) {
        if (system.runtime->model().name == name) {
            return &system;
        }
    }
    return nullptr;
}

std::string_view Call::parameter(std::string_view name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string_view() : std::string_view(found->second);
}

CallResult<std::size_t> Call::number(std::string_view name, std::size_t otherwise, std::size_t most)
    const {
    const auto text = parameter(name);
    if (text.empty()) {
        return otherwise;
    }
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number > most) {
        return rest::validation_failed(name, "is a whole number up to " + std::to_string(most));
    }
    return number;
}

CallResult<Body> Body::parse(std::string_view text) {
    auto parsed = value::parse_json(text);
    if (!parsed) {
        return rest::validation_failed("", parsed.error().message);
    }
    auto* members = std::get_if<value::Map>(&parsed->data);
    if (members == nullptr) {
        return rest::validation_failed("", "The body is not a JSON object");
    }
    Body body;
    body.members_ = std::move(*members);
    return body;
}

const value::AttributeValue* Body::find(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : &found->second;
}

CallResult<std::string> Body::text(std::string_view name) const {
    const auto* found = find(name);
    const auto* text = found != nullptr ? std::get_if<std::string>(&found->data) : nullptr;
    if (text == nullptr) {
        return rest::validation_failed(name, "must be a string");
    }
    return *text;
}

std::string Body::text_or(std::string_view name, std::string_view otherwise) const {
    const auto* found = find(name);
    const auto* text = found != nullptr ? std::get_if<std::string>(&found->data) : nullptr;
    return text != nullptr ? *text : std::string(otherwise);
}

bool Body::flag_or(std::string_view name, bool otherwise) const {
    const auto* found = find(name);
    const auto* flag = found != nullptr ? std::get_if<bool>(&found->data) : nullptr;
    return flag != nullptr ? *flag : otherwise;
}

model::CallError not_found(std::string message) {
    return {.status = 404, .code = "NotFound", .message = std::move(message)};
}

model::CallError not_available(std::string message) {
    return {.status = 501, .code = "NotAvailable", .message = std::move(message)};
}

}  // namespace gateleg::api::console

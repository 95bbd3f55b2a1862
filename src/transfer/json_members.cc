#include "transfer/json_members.h"

#include <charconv>

#include "value/json_tree.h"

namespace gateleg::transfer {

Result<JsonMembers> JsonMembers::parse(std::string_view text) {
    constexpr std::string_view kBody = "The body is ";
    auto parsed = value::parse_json(text);
    if (!parsed) {
        auto message = parsed.error().message;
        if (message.starts_with(kBody)) {
            message.erase(0, kBody.size());
        }
        return validation_error(message);
    }
    auto tree = *std::move(parsed);
    auto* members = std::get_if<value::Map>(&tree.data);
    if (members == nullptr) {
        return validation_error("not a JSON object");
    }
    return JsonMembers(std::move(*members));
}

const value::AttributeValue* JsonMembers::find(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() || std::holds_alternative<value::Null>(found->second.data)
               ? nullptr
               : &found->second;
}

template <class T>
Result<T> JsonMembers::required(std::string_view name, const char* what) const {
    const auto* found = find(name);
    if (found == nullptr) {
        return validation_error(std::string(name) + " is missing");
    }
    const auto* value = std::get_if<T>(&found->data);
    if (value == nullptr) {
        return validation_error(std::string(name) + " is not " + what);
    }
    return *value;
}

Result<std::optional<std::string>> JsonMembers::text(std::string_view name) const {
    if (find(name) == nullptr) {
        return std::optional<std::string>();
    }
    GATELEG_TRY_ASSIGN(auto found, required<std::string>(name, "a text"));
    return std::optional<std::string>(std::move(found));
}

Result<std::string> JsonMembers::required_text(std::string_view name) const {
    return required<std::string>(name, "a text");
}

Result<std::int64_t> JsonMembers::required_count(std::string_view name) const {
    GATELEG_TRY_ASSIGN(const auto number, required<value::Number>(name, "a number"));
    const auto digits = number.to_text();
    std::int64_t count = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (failed != std::errc() || end != digits.data() + digits.size() || count < 0) {
        return validation_error(std::string(name) + " is not a whole number from 0 on");
    }
    return count;
}

Result<bool> JsonMembers::required_flag(std::string_view name) const {
    return required<bool>(name, "true or false");
}

Result<std::vector<JsonMembers>> JsonMembers::required_list(std::string_view name) const {
    GATELEG_TRY_ASSIGN(auto list, required<value::List>(name, "a list"));
    std::vector<JsonMembers> all;
    for (auto& each : list) {
        auto* members = std::get_if<value::Map>(&each.data);
        if (members == nullptr) {
            return validation_error(std::string(name) + " holds something that is no object");
        }
        all.emplace_back(std::move(*members));
    }
    return all;
}

}  // namespace gateleg::transfer

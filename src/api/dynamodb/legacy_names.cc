#include "api/dynamodb/legacy_names.h"

#include <algorithm>
#include <string>

namespace gateleg::api::dynamodb {

Result<void> check_attribute_name(std::string_view name) {
    constexpr std::size_t kMaxBytes = 65535;
    if (name.empty()) {
        return validation_error("Empty attribute name");
    }
    if (name.size() > kMaxBytes) {
        return validation_error("Attribute name is too large, must be less than 65536 bytes");
    }
    return {};
}

std::vector<std::string_view> read_attributes_to_get(const Fields& in) {
    constexpr std::size_t kMaxNames = 255;
    std::vector<std::string_view> attributes;
    const auto list = in.list("AttributesToGet");
    if (!list) {
        return attributes;
    }
    const bool wrong_size = list->size() == 0 || list->size() > kMaxNames;
    const auto is_repeated = [&](std::string_view name) {
        return !wrong_size &&
               std::find(attributes.begin(), attributes.end(), name) != attributes.end();
    };
    std::string shown;
    for (const auto element : *list) {
        std::string_view name;
        if (element.get_string().get(name) != simdjson::SUCCESS) {
            in.problems().serialization("Unexpected value type in AttributesToGet");
        } else if (auto checked = check_attribute_name(name); !checked) {
            in.problems().later(std::move(checked).error());
        } else if (is_repeated(name)) {
            in.problems().later(validation_error(
                "One or more parameter values were invalid: Duplicate value in attribute name: " +
                std::string(name)
            ));
        }
        attributes.push_back(name);
        shown.append(shown.empty() ? "" : ", ").append(name);
    }
    if (wrong_size) {
        in.problems().constraint(
            "[" + shown + "]",
            in.path_of("AttributesToGet"),
            attributes.empty() ? "Member must have length greater than or equal to 1"
                               : "Member must have length less than or equal to 255"
        );
    }
    return attributes;
}

}  // namespace gateleg::api::dynamodb

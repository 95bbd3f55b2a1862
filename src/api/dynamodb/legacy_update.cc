#include "api/dynamodb/legacy_update.h"

#include "api/dynamodb/legacy_names.h"

namespace gateleg::api::dynamodb {
namespace {

using value::Type;

Error invalid(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

Result<void> check_update(const LegacyUpdate& update) {
    if (!update.value) {
        if (update.action == LegacyAction::kDelete) {
            return {};
        }
        return invalid("Only DELETE action is allowed when no attribute value is specified");
    }
    const auto type = update.type();
    const auto type_name = std::string(value::type_name(type));
    if (update.action == LegacyAction::kDelete && !value::is_set(type)) {
        return invalid("DELETE action with value is not supported for the type " + type_name);
    }
    const bool can_grow = value::is_set(type) || type == Type::kNumber || type == Type::kList;
    if (update.action == LegacyAction::kAdd && !can_grow) {
        return invalid("ADD action is not supported for the type " + type_name);
    }
    return {};
}

Result<void> read_update(const Fields& in, LegacyUpdate& update) {
    GATELEG_TRY(check_attribute_name(update.attribute));
    const auto action = in.choice<LegacyAction>(
        "Action",
        {{"PUT", LegacyAction::kPut},
         {"ADD", LegacyAction::kAdd},
         {"DELETE", LegacyAction::kDelete}},
        "[ADD, DELETE, PUT]"
    );
    update.action = action.value_or(LegacyAction::kPut);
    if (const auto json = in.find("Value")) {
        GATELEG_TRY(value::append_value(update.value.emplace(), *json));
    }
    return check_update(update);
}

}  // namespace

std::vector<LegacyUpdate> read_updates(const Fields& in) {
    std::vector<LegacyUpdate> updates;
    const auto map = in.map("AttributeUpdates");
    if (!map) {
        return updates;
    }
    for (const auto& [name, json] : *map) {
        auto& update = updates.emplace_back();
        update.attribute = name;
        const Fields fields(
            in.problems(),
            json,
            in.path_of("AttributeUpdates") + "." + update.attribute + ".member."
        );
        if (auto read = read_update(fields, update); !read) {
            in.problems().later(std::move(read).error());
        }
    }
    return updates;
}

}  // namespace gateleg::api::dynamodb

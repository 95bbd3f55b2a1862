#include "model/access.h"

#include <algorithm>

#include "model/item_codec.h"

namespace gateleg::model {

std::optional<CallError> find_denial(const Access& access, const Caller& caller) {
    if (caller.internal || access.kind == Access::Kind::kAnyone) {
        return std::nullopt;
    }
    const CallError unknown{401, "Unauthenticated", "Sign in first."};
    const CallError forbidden{403, "Forbidden", "You may not do this."};
    switch (access.kind) {
        case Access::Kind::kSignedIn:
            return caller.user ? std::nullopt : std::optional(unknown);
        case Access::Kind::kRole: {
            const bool has =
                std::any_of(access.roles.begin(), access.roles.end(), [&](const std::string& role) {
                    return caller.roles.contains(role);
                });
            if (has) {
                return std::nullopt;
            }
            return caller.user || !caller.roles.empty() ? forbidden : unknown;
        }
        case Access::Kind::kAnyone:
        case Access::Kind::kInternal:
            break;
    }
    return forbidden;
}

Environment make_environment(const Model& model, const Caller& caller, std::int64_t now_millis) {
    Environment environment;
    environment.now_millis = now_millis;
    environment.caller = caller.user;
    environment.viewer = caller.viewer.empty() ? caller.user.value_or("") : caller.viewer;
    environment.roles = caller.roles;
    for (const auto& constant : model.constants) {
        environment.variables[constant.name] = constant.value;
    }
    return environment;
}

bool is_visible(
    const Entity& entity,
    const value::Item& attributes,
    const Caller& caller,
    const Environment& environment
) {
    if (caller.internal || !entity.visible) {
        return true;
    }
    Environment inner = environment;
    inner.item = &attributes;
    const auto seen = holds(*entity.visible, inner);
    return seen && *seen;
}

value::AttributeValue show_item(
    const Model& model,
    const Entity& entity,
    const value::Item& attributes,
    const Caller& caller,
    const Environment& environment
) {
    auto shown = item_to_api(model, entity, attributes);
    if (caller.internal || entity.public_names.empty()) {
        return shown;
    }
    if (entity.full) {
        Environment inner = environment;
        inner.item = &attributes;
        if (const auto full = holds(*entity.full, inner); full && *full) {
            return shown;
        }
    }
    auto& all = std::get<value::Map>(shown.data);
    value::Map limited;
    for (const auto& name : entity.public_names) {
        if (const auto found = all.find(name.name); found != all.end()) {
            limited[name.name] = std::move(found->second);
        }
    }
    return {std::move(limited)};
}

}  // namespace gateleg::model

#include "model/access.h"

#include <algorithm>

#include "model/taken_item.h"

namespace gateleg::model {
namespace {

bool holds_on(
    const Expression& expression, const value::Item& attributes, const Environment& environment
) {
    // Whoever asks for many items puts each at hand: a copy costs more than most answers.
    if (environment.item == &attributes) {
        const auto good = holds(expression, environment);
        return good && *good;
    }
    Environment inner = environment;
    inner.item = &attributes;
    const auto good = holds(expression, inner);
    return good && *good;
}

template <class Names>
value::AttributeValue only_named(value::AttributeValue shown, const Names& names) {
    auto& all = std::get<value::Map>(shown.data);
    value::Map named;
    for (const auto& name : names) {
        if (const auto found = all.find(name.name); found != all.end()) {
            named[name.name] = std::move(found->second);
        }
    }
    return {std::move(named)};
}

}  // namespace

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
    return holds_on(*entity.visible, attributes, environment);
}

value::AttributeValue show_item(
    const Model& model,
    const Entity& entity,
    const value::Item& attributes,
    const Caller& caller,
    const Environment& environment
) {
    return show_item(model, entity, value::Item(attributes), caller, environment);
}

value::AttributeValue show_item(
    const Model& model,
    const Entity& entity,
    value::Item&& attributes,
    const Caller& caller,
    const Environment& environment
) {
    const bool limited = !caller.internal && !entity.public_names.empty() &&
                         !(entity.full && holds_on(*entity.full, attributes, environment));
    auto shown = item_to_api(model, entity, std::move(attributes));
    if (limited) {
        return only_named(std::move(shown), entity.public_names);
    }
    return shown;
}

value::AttributeValue show_of_pattern(
    const Model& model,
    const Pattern& pattern,
    const Entity& entity,
    value::Item&& attributes,
    const Caller& caller,
    std::int64_t now_millis
) {
    if (!pattern.returns.empty()) {
        // What a pattern names it shows, also beyond the entity's `public`.
        return only_named(item_to_api(model, entity, std::move(attributes)), pattern.returns);
    }
    const auto environment =
        entity.full ? make_environment(model, caller, now_millis) : Environment{};
    return show_item(model, entity, std::move(attributes), caller, environment);
}

}  // namespace gateleg::model

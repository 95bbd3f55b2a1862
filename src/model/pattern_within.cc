#include "model/pattern_within.h"

#include <algorithm>
#include <set>

#include "model/access.h"
#include "model/entity_keys.h"
#include "model/item_codec.h"
#include "model/read_uses.h"
#include "model/recognise.h"

namespace gateleg::model {
namespace {

using value::Item;
using Names = std::set<std::string, std::less<>>;

void add_variables(const ItemReference& item, Names& names) {
    if (item.selector) {
        names.merge(variables_of(item.selector));
    }
    for (const auto& argument : item.arguments) {
        names.merge(variables_of(argument.value));
    }
    for (const auto& [label, inner] : item.cases) {
        add_variables(inner, names);
    }
}

// The key of the item, with the variables of a result or of the call in the environment. Nothing
// if it lacks a value or is of no kind that is listed.
CallResult<std::optional<Item>> key_within(
    const Model& model, const ItemReference& item, const Environment& environment
) {
    using Key = std::optional<Item>;
    if (item.kind == ItemReference::Kind::kMatch) {
        GATELEG_CALL_TRY_ASSIGN(const auto selector, evaluate(*item.selector, environment));
        GATELEG_CALL_TRY_ASSIGN(const auto label, render_value(selector, {}));
        for (const auto& [name, inner] : item.cases) {
            if (label == name) {
                return key_within(model, inner, environment);
            }
        }
        return Key();
    }
    const auto& entity = *item.entities.front();
    const auto variables = key_variables(entity, model.table.key);
    Item identity;
    for (std::size_t at = 0; at < variables.size() && at < item.arguments.size(); ++at) {
        GATELEG_CALL_TRY_ASSIGN(const auto value, evaluate(*item.arguments[at].value, environment));
        if (is_null(value)) {
            return Key();
        }
        identity[variables[at]] = to_stored(value, entity.find_attribute(variables[at]));
    }
    GATELEG_CALL_TRY_ASSIGN(auto key, primary_key(model, entity, identity, environment));
    return key;
}

Environment with_variables(
    const Environment& environment, const Entity& entity, const Item& attributes
) {
    Environment inner = environment;
    for (const auto& [name, value] : attributes) {
        inner.variables[name] = from_stored(value, entity.find_attribute(name));
    }
    return inner;
}

bool sees(
    const Model& model,
    const ItemReference& item,
    const std::optional<Item>& raw,
    const Caller& caller,
    const Environment& environment
) {
    if (!raw || is_expired(model.table, *raw, environment.now_millis)) {
        return false;
    }
    const auto* entity = recognise(model, *raw);
    const auto& wanted = item.entities;
    return std::find(wanted.begin(), wanted.end(), entity) != wanted.end() &&
           is_visible(*entity, to_attributes(model, *entity, *raw), caller, environment);
}

}  // namespace

bool is_named_by_call(const Pattern& pattern) {
    Names names;
    add_variables(*pattern.within, names);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const auto given = [&](const Reference& one) { return one.name == name; };
        const auto fixed = [&](const Pattern::Fixed& one) { return one.attribute == name; };
        return std::any_of(pattern.by.begin(), pattern.by.end(), given) ||
               std::any_of(pattern.fixed.begin(), pattern.fixed.end(), fixed);
    });
}

CallResult<Nothing> require_within(
    Database& database,
    const Model& model,
    const Pattern& pattern,
    const Item& known,
    const Caller& caller,
    const Environment& environment
) {
    if (caller.internal) {
        return Nothing{};
    }
    const auto inner = with_variables(environment, *pattern.entities.front(), known);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto key, key_within(model, *pattern.within, inner));
    std::optional<Item> raw;
    if (key) {
        GATELEG_CALL_TRY_ASSIGN(raw, database.get(*key, true));
    }
    if (!sees(model, *pattern.within, raw, caller, environment)) {
        const auto& entities = pattern.within->entities;
        const auto name = entities.size() == 1 ? entities.front()->name : std::string("Target");
        return CallError{404, name + "NotFound", "There is no such " + name + "."};
    }
    return Nothing{};
}

CallResult<std::vector<bool>> see_within(
    Database& database,
    const Model& model,
    const Pattern& pattern,
    const std::vector<Found>& results,
    const Caller& caller,
    const Environment& environment
) {
    std::vector<bool> seen(results.size(), caller.internal);
    if (caller.internal) {
        return seen;
    }
    std::vector<Item> keys;
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < results.size(); ++at) {
        const auto inner = with_variables(environment, *results[at].entity, results[at].item);
        GATELEG_CALL_TRY_ASSIGN_CALL(auto key, key_within(model, *pattern.within, inner));
        if (key) {
            keys.push_back(std::move(*key));
            places.push_back(at);
        }
    }
    GATELEG_CALL_TRY_ASSIGN(const auto items, database.get_all(keys, false));
    for (std::size_t at = 0; at < items.size(); ++at) {
        seen[places[at]] = sees(model, *pattern.within, items[at], caller, environment);
    }
    return seen;
}

}  // namespace gateleg::model

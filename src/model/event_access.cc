#include "model/event_access.h"

#include <algorithm>

#include "model/access.h"
#include "model/database.h"
#include "model/entity_keys.h"
#include "model/pattern_plan.h"
#include "model/pattern_within.h"
#include "model/recognise.h"

namespace gateleg::model {
namespace {

using value::Item;

// What a pattern loads by way of another item depends on that item, and what an index does not show
// is not for those who read by it: neither is told here.
bool returns_as_it_is(const Pattern& pattern, const Entity& entity) {
    const bool follows = pattern.load && !pattern.load->arguments.empty();
    const bool partly = pattern.table_index != nullptr && !pattern.load &&
                        pattern.table_index->projection != Index::Projection::kAll;
    const auto& entities = pattern.entities;
    return !pattern.count && !follows && !partly &&
           std::find(entities.begin(), entities.end(), &entity) != entities.end();
}

bool in_index(const Index* index, const Item& raw) {
    return index == nullptr || (raw.contains(index->key.partition.name) &&
                                (!index->key.sort || raw.contains(index->key.sort->name)));
}

// What the pattern fixes, such as its owner, is what the item has.
bool has_fixed(
    const Model& model,
    const Pattern& pattern,
    const Entity& entity,
    const Item& attributes,
    const Environment& environment
) {
    Item fixed;
    const auto& first = *pattern.entities.front();
    for (const auto& each : pattern.fixed) {
        const auto value = evaluate(each.value, environment);
        if (!value || is_null(*value) || std::holds_alternative<Nobody>(*value)) {
            return false;
        }
        fixed[each.attribute] = to_stored(*value, first.find_attribute(each.attribute));
    }
    const auto renamed = rename_values(model, pattern, entity, fixed);
    return std::all_of(renamed.begin(), renamed.end(), [&](const auto& one) {
        const auto found = attributes.find(one.first);
        return found != attributes.end() && found->second == one.second;
    });
}

bool is_wanted(const Pattern& pattern, const Item& attributes, const Environment& environment) {
    if (!pattern.only) {
        return true;
    }
    auto inner = environment;
    inner.item = &attributes;
    const auto wanted = holds(*pattern.only, inner);
    return wanted && *wanted;
}

}  // namespace

CallResult<std::optional<SeenChange>> see_change(
    const Model& model,
    dynamo::Dynamo& dynamo,
    const Item& raw,
    bool removed,
    const Caller& caller,
    std::int64_t now_millis
) {
    using Seen = std::optional<SeenChange>;
    const auto* entity = recognise(model, raw);
    if (entity == nullptr || entity->built_in ||
        (!removed && is_expired(model.table, raw, now_millis))) {
        return Seen();
    }
    const auto attributes = to_attributes(model, *entity, raw);
    const auto environment = make_environment(model, caller, now_millis);
    const bool visible = is_visible(*entity, attributes, caller, environment);
    const Pattern* best = nullptr;
    for (const auto& pattern : model.patterns) {
        // One that shows the whole entity goes before one that shows a part.
        const bool better = best == nullptr || (!best->returns.empty() && pattern.returns.empty());
        if (!better || (!visible && !pattern.unfiltered) || !returns_as_it_is(pattern, *entity) ||
            find_denial(pattern.allow, caller) || !in_index(pattern.table_index, raw) ||
            !has_fixed(model, pattern, *entity, attributes, environment) ||
            !is_wanted(pattern, attributes, environment)) {
            continue;
        }
        if (pattern.within) {
            Database database(model.table, dynamo, nullptr);
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto seen,
                see_within(
                    database, model, pattern, {Found{attributes, entity}}, caller, environment
                )
            );
            if (!seen.front()) {
                continue;
            }
        }
        best = &pattern;
    }
    return best == nullptr ? Seen() : Seen(SeenChange{entity, best, attributes});
}

}  // namespace gateleg::model

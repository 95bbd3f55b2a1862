#include "model/rows.h"

#include <algorithm>

#include "model/entity_keys.h"
#include "model/item_codec.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

Result<void> take(Row& row, const std::string& name, const Value& value) {
    const auto* attribute = row.entity->find_attribute(name);
    row.given.insert(name);
    if (is_null(value)) {
        return {};
    }
    auto stored = to_stored(value, attribute);
    if (attribute != nullptr) {
        FieldErrors errors;
        auto settled = settle_value(*attribute, std::move(stored), name, errors);
        if (!settled) {
            return validation_error(errors.to_error().message);
        }
        stored = std::move(*settled);
    }
    row.attributes[name] = std::move(stored);
    return {};
}

// A value of the owner under its own name, derived ones included.
Result<Value> owner_value(
    const Entity& owner, const std::string& name, const Environment& environment
) {
    const auto* attribute = owner.find_attribute(name);
    const auto found = environment.item->find(name);
    if (found != environment.item->end()) {
        return from_stored(found->second, attribute);
    }
    if (attribute != nullptr && attribute->is) {
        return evaluate(*attribute->is, environment);
    }
    return null_value();
}

// Fills in what the step gives and the defaults; false if the key has a null variable.
Result<bool> fill(
    Row& row, const Model& model, const Entity& owner, const Environment& environment
) {
    for (const auto& one : row.step->copy) {
        GATELEG_TRY_ASSIGN(const auto value, owner_value(owner, one.name, environment));
        GATELEG_TRY(take(row, one.name, value));
    }
    for (const auto& one : row.step->set) {
        GATELEG_TRY_ASSIGN(const auto value, evaluate(one.value, environment));
        GATELEG_TRY(take(row, one.attribute, value));
    }
    Environment own = environment;
    own.item = &row.attributes;
    for (const auto& attribute : row.entity->attributes) {
        if (attribute.default_value && !row.attributes.contains(attribute.name)) {
            GATELEG_TRY_ASSIGN(const auto value, evaluate(*attribute.default_value, own));
            if (!is_null(value)) {
                row.attributes[attribute.name] = to_stored(value, &attribute);
            }
        }
    }
    GATELEG_TRY_ASSIGN(auto key, primary_key(model, *row.entity, row.attributes, own));
    if (!key) {
        return false;
    }
    row.key = std::move(*key);
    row.key_bytes = value::encode_item(row.key).bytes();
    GATELEG_TRY_ASSIGN(row.raw, to_raw(model, *row.entity, row.attributes, own));
    return true;
}

Result<void> add_row(
    std::vector<Row>& rows,
    const Model& model,
    const Entity& owner,
    const Step& step,
    const Environment& environment
) {
    if (step.when) {
        GATELEG_TRY_ASSIGN(const auto wanted, holds(*step.when, environment));
        if (!wanted) {
            return {};
        }
    }
    Row row;
    row.step = &step;
    row.entity = step.target.entities.front();
    GATELEG_TRY_ASSIGN(const auto exists, fill(row, model, owner, environment));
    const bool again = std::any_of(rows.begin(), rows.end(), [&](const Row& other) {
        return other.key_bytes == row.key_bytes;
    });
    if (exists && !again) {
        row.environment = environment;
        row.environment.item = nullptr;
        rows.push_back(std::move(row));
    }
    return {};
}

}  // namespace

Result<std::vector<Row>> rows_of(
    const Model& model, const Entity& owner, const Item& attributes, const Environment& environment
) {
    std::vector<Row> rows;
    Environment inner = environment;
    inner.item = &attributes;
    for (const auto& step : owner.rows) {
        if (!step.loop) {
            GATELEG_TRY(add_row(rows, model, owner, step, inner));
            continue;
        }
        GATELEG_TRY_ASSIGN(const auto found, evaluate(step.loop->list, inner));
        const auto stored = to_stored(found, nullptr);
        value::List turns;
        if (const auto* list = std::get_if<value::List>(&stored.data)) {
            turns = *list;
        } else if (const auto* texts = std::get_if<value::StringSet>(&stored.data)) {
            for (const auto& text : *texts) {
                turns.push_back({text});
            }
        }
        for (const auto& turn : turns) {
            inner.variables[step.loop->variable] = turn;
            GATELEG_TRY(add_row(rows, model, owner, step, inner));
        }
        inner.variables.erase(step.loop->variable);
    }
    return rows;
}

}  // namespace gateleg::model

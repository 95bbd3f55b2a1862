#include "model/step_values.h"

#include <algorithm>

#include "base/hash.h"
#include "base/ids.h"
#include "model/entity_keys.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;
using value::Number;

bool is_key_variable(const Entity& entity, const Table& table, std::string_view name) {
    const auto variables = key_variables(entity, table.key);
    return std::find(variables.begin(), variables.end(), name) != variables.end();
}

// The map that `spread` gives, in stored form; errors for what may not come that way.
Result<Item> spread_values(const StepRun& run, const Model& model, FieldErrors& errors) {
    Item values;
    GATELEG_TRY_ASSIGN(const auto given, evaluate(*run.step->spread, run.environment));
    const auto stored = to_stored(given, nullptr);
    const auto* map = std::get_if<value::Map>(&stored.data);
    if (map == nullptr) {
        return values;
    }
    // `spread: $node` with `as: node` means the input of that name, which a client wrote.
    const auto& root = *run.step->spread->root;
    const auto* named = std::get_if<VariableNode>(&root.node);
    const bool is_input = named != nullptr && run.given_inputs->contains(named->name);
    const bool is_item = root.type.kind == ValueKind::kItem && !is_input;
    for (const auto& [name, member] : *map) {
        const auto* attribute = run.entity->find_attribute(name);
        const bool reserved =
            name == model.table.marker || name == run.entity->version ||
            (attribute == nullptr && model.table.is_key_attribute(name)) ||
            (attribute != nullptr && (attribute->is || attribute->key_only())) ||
            is_key_variable(*run.entity, model.table, name) ||
            (attribute != nullptr && attribute->immutable && run.step->verb != Verb::kPut);
        if (reserved) {
            if (!is_item) {
                errors.invalid(name, "is set by the server");
            }
            continue;
        }
        if (attribute == nullptr && !run.entity->open) {
            errors.unknown(name);
        } else if (attribute == nullptr || is_item) {
            values[name] = member;
        } else if (auto value = read_value(*attribute, member, Spelling::kJson, name, errors)) {
            values[name] = std::move(*value);
        }
    }
    return values;
}

void set_one(
    Changes& changes,
    const Entity& entity,
    const std::string& name,
    AttributeValue value,
    FieldErrors& errors
) {
    changes.edits = true;
    if (const auto* attribute = entity.find_attribute(name)) {
        if (auto settled = settle_value(*attribute, std::move(value), name, errors)) {
            changes.set[name] = std::move(*settled);
        }
        return;
    }
    changes.set[name] = std::move(value);
}

Names inputs_to_set(const StepRun& run, const Model& model) {
    Names names;
    for (const auto& name : *run.given_inputs) {
        const auto* attribute = run.entity->find_attribute(name);
        if (attribute != nullptr && !attribute->is &&
            (run.step->verb == Verb::kPut || !is_key_variable(*run.entity, model.table, name))) {
            names.insert(name);
        }
    }
    return names;
}

Value variable(const StepRun& run, const std::string& name) {
    const auto found = run.environment.variables.find(name);
    return found != run.environment.variables.end() ? found->second : null_value();
}

Result<void> add_sets(
    Changes& changes,
    const StepRun& run,
    const Environment& environment,
    const Model& model,
    FieldErrors& errors
) {
    const auto& step = *run.step;
    if (step.spread) {
        GATELEG_TRY_ASSIGN(auto values, spread_values(run, model, errors));
        for (auto& [name, value] : values) {
            set_one(changes, *run.entity, name, std::move(value), errors);
        }
    }
    if (step.set_input) {
        for (const auto& name : inputs_to_set(run, model)) {
            const auto* attribute = run.entity->find_attribute(name);
            set_one(changes, *run.entity, name, to_stored(variable(run, name), attribute), errors);
        }
    }
    for (const auto& one : step.copy) {
        const auto* attribute = run.entity->find_attribute(one.name);
        set_one(
            changes, *run.entity, one.name, to_stored(variable(run, one.name), attribute), errors
        );
    }
    for (const auto& one : step.set) {
        GATELEG_TRY_ASSIGN(const auto value, evaluate(one.value, environment));
        const auto* attribute = run.entity->find_attribute(one.attribute);
        set_one(changes, *run.entity, one.attribute, to_stored(value, attribute), errors);
    }
    return {};
}

// Steps on one item may agree on a value, but not set different ones.
bool join(Changes& changes, Changes&& more) {
    for (auto& [name, value] : more.set) {
        const auto found = changes.set.find(name);
        if (found != changes.set.end() && !(found->second == value)) {
            return false;
        }
        changes.set[name] = std::move(value);
    }
    for (auto& [name, delta] : more.add) {
        const auto found = changes.add.find(name);
        if (found == changes.add.end()) {
            changes.add[name] = delta;
        } else if (const auto sum = Number::add(found->second, delta)) {
            found->second = *sum;
        }
    }
    for (auto& [name, list] : more.append) {
        auto& all = changes.append[name];
        all.insert(all.end(), list.begin(), list.end());
    }
    changes.edits |= more.edits;
    const auto sets = [&](const auto& map) {
        return std::any_of(map.begin(), map.end(), [&](const auto& one) {
            return changes.set.contains(one.first);
        });
    };
    return !sets(changes.add) && !sets(changes.append);
}

const AttributeValue* find(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found != item.end() && !is_null(found->second) ? &found->second : nullptr;
}

Result<void> apply_sums(Item& item, const Changes& changes) {
    for (const auto& [name, delta] : changes.add) {
        const auto* old = find(item, name);
        const auto* number = old != nullptr ? std::get_if<Number>(&old->data) : nullptr;
        GATELEG_TRY_ASSIGN(auto sum, Number::add(number != nullptr ? *number : Number(), delta));
        item[name] = AttributeValue{sum};
    }
    for (const auto& [name, more] : changes.append) {
        const auto* old = find(item, name);
        const auto* list = old != nullptr ? std::get_if<value::List>(&old->data) : nullptr;
        auto all = list != nullptr ? *list : value::List();
        all.insert(all.end(), more.begin(), more.end());
        item[name] = AttributeValue{std::move(all)};
    }
    return {};
}

}  // namespace

Result<Names> touched_names(const StepRun& run, const Model& model) {
    Names names;
    const auto& step = *run.step;
    for (const auto* assignments : {&step.set, &step.add, &step.append}) {
        for (const auto& one : *assignments) {
            names.insert(one.attribute);
        }
    }
    for (const auto& one : step.copy) {
        names.insert(one.name);
    }
    if (step.set_input) {
        names.merge(inputs_to_set(run, model));
    }
    if (step.spread) {
        FieldErrors ignored;
        GATELEG_TRY_ASSIGN(const auto values, spread_values(run, model, ignored));
        for (const auto& [name, value] : values) {
            names.insert(name);
        }
    }
    return names;
}

Names names_used(const StepRun& run) {
    Names names;
    for (const auto* assignments : {&run.step->set, &run.step->add, &run.step->append}) {
        for (const auto& one : *assignments) {
            names.merge(needs_of(one.value.root, *run.entity));
        }
    }
    return names;
}

Result<bool> add_changes(
    Changes& changes, const StepRun& run, const Item& item, const Model& model, FieldErrors& errors
) {
    Environment environment = run.environment;
    environment.item = &item;
    Changes more;
    GATELEG_TRY(add_sets(more, run, environment, model, errors));
    for (const auto& one : run.step->add) {
        GATELEG_TRY_ASSIGN(const auto value, evaluate(one.value, environment));
        const auto stored = to_stored(value, nullptr);
        if (const auto* number = std::get_if<Number>(&stored.data)) {
            more.add[one.attribute] = *number;
        } else {
            errors.invalid(one.attribute, "can only be raised by a number");
        }
    }
    for (const auto& one : run.step->append) {
        GATELEG_TRY_ASSIGN(const auto value, evaluate(one.value, environment));
        const auto stored = to_stored(value, nullptr);
        if (const auto* list = std::get_if<value::List>(&stored.data)) {
            more.append[one.attribute] = *list;
            more.edits = true;
        }
    }
    return join(changes, std::move(more));
}

Result<Item> new_item(
    const Changes& changes,
    const Entity& entity,
    const Item& identity,
    const Environment& environment,
    FieldErrors& errors
) {
    Item item = identity;
    for (const auto& [name, value] : changes.set) {
        const auto* attribute = entity.find_attribute(name);
        if (!is_null(value) || (attribute != nullptr && attribute->keep_null) ||
            attribute == nullptr) {
            item[name] = value;
        }
    }
    GATELEG_TRY(apply_sums(item, changes));
    Environment own = environment;
    own.item = &item;
    if (entity.built_in && entity.name == "Outbox" && find(item, "slot") == nullptr) {
        // Sixteen partitions, so that a worker finds the rows by Query.
        const auto id = own.make_ulid ? own.make_ulid() : random_uuid();
        const auto slot = static_cast<std::int64_t>(hash64(id) % kOutboxSlots);
        item["slot"] = AttributeValue{Number::from_int(slot)};
        item.try_emplace("id", AttributeValue{id});
    }
    for (const auto& attribute : entity.attributes) {
        if (attribute.is || find(item, attribute.name) != nullptr) {
            continue;
        }
        if (attribute.default_value) {
            GATELEG_TRY_ASSIGN(const auto value, evaluate(*attribute.default_value, own));
            if (!is_null(value)) {
                item[attribute.name] = to_stored(value, &attribute);
            } else if (attribute.keep_null) {
                item[attribute.name] = AttributeValue{value::Null{}};
            }
        }
        if (attribute.required && find(item, attribute.name) == nullptr) {
            errors.invalid(attribute.name, "is required");
        }
    }
    for (const auto& attribute : entity.attributes) {
        if (changes.add.contains(attribute.name) || changes.append.contains(attribute.name)) {
            settle_value(attribute, item[attribute.name], attribute.name, errors);
        }
    }
    return item;
}

Result<Item> changed_item(
    const Item& before, const Changes& changes, const Entity& entity, FieldErrors& errors
) {
    Item after = before;
    for (const auto& [name, value] : changes.set) {
        const auto* attribute = entity.find_attribute(name);
        const auto* old = find(before, name);
        if (attribute != nullptr && attribute->immutable && old != nullptr && !(*old == value)) {
            errors.invalid(name, "cannot be changed");
        }
        if (is_null(value) && (attribute == nullptr || !attribute->keep_null)) {
            after.erase(name);
        } else {
            after[name] = value;
        }
    }
    GATELEG_TRY(apply_sums(after, changes));
    for (const auto& [name, list] : changes.append) {
        if (const auto* attribute = entity.find_attribute(name)) {
            settle_value(*attribute, after[name], name, errors);
        }
    }
    return after;
}

}  // namespace gateleg::model

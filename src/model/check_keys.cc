// Keys of one entity: what they cost, what changes them, and whether an index has all of them.

#include <algorithm>

#include "model/key_checks.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

}  // namespace

std::string in_entity(const Entity& entity) {
    return "entity " + entity.name + ": ";
}

void each_key(const Table& table, const std::function<void(const KeySchema&, const Index*)>& use) {
    use(table.key, nullptr);
    for (const auto& index : table.indexes) {
        use(index.key, &index);
    }
}

void KeyChecks::run() {
    for (const auto& entity : model_.entities) {
        if (entity.built_in) {
            continue;
        }
        for (const auto& rule : entity.keys) {
            check_shape(entity, rule);
            check_formats(entity, rule);
            check_constant_partition(entity, rule);
            check_rewrites(entity, rule);
        }
        check_primary(entity);
        check_whole_index(entity);
    }
}

void KeyChecks::check_constant_partition(const Entity& entity, const KeyRule& rule) {
    if (rule.plain || entity.built_in || model_.table.is_primary_key(rule.attribute) ||
        sort_key(rule.attribute)) {
        return;
    }
    const auto variables = rule.key_template.variables();
    if (variables.empty()) {
        diagnostics_.warning(
            "K07",
            rule.position,
            in_entity(entity) + "every item has the partition " + quoted(rule.key_template.text()) +
                ": about 1000 writes a second for all of them",
            "a date part or {shard} spreads them"
        );
        return;
    }
    const bool few = std::all_of(variables.begin(), variables.end(), [&](const auto* variable) {
        const auto* attribute = entity.find_attribute(variable->name);
        return attribute != nullptr && (attribute->type == AttributeType::kEnum ||
                                        attribute->type == AttributeType::kBoolean);
    });
    if (few) {
        diagnostics_.warning(
            "K08",
            rule.position,
            in_entity(entity) + "the partition " + quoted(rule.key_template.text()) +
                " has few values"
        );
    }
}

void KeyChecks::check_rewrites(const Entity& entity, const KeyRule& rule) {
    if (model_.table.is_primary_key(rule.attribute) || !in_some_index(entity, rule)) {
        return;
    }
    for (const auto& operation : model_.operations) {
        for (const auto& step : operation.writes) {
            if (!targets(step, entity) || step.verb == Verb::kPut) {
                continue;
            }
            for (const auto& one : step.add) {
                const auto* variable = rule.key_template.find_variable(one.attribute);
                if (variable != nullptr && !rule.plain &&
                    key_type(rule.attribute) == value::Type::kString) {
                    diagnostics_.warning(
                        "K06",
                        rule.position,
                        in_entity(entity) + "the counter '" + one.attribute +
                            "' is part of the key '" + rule.attribute +
                            "': each add must read first",
                        "an index key of type N follows by itself"
                    );
                }
            }
            for (const auto& one : step.set) {
                const auto* word = std::get_if<WordNode>(&one.value.root->node);
                const auto sources = key_sources(rule, entity);
                const auto* attribute = entity.find_attribute(one.attribute);
                if (word != nullptr && word->word == Word::kNow &&
                    sources.contains(one.attribute) && attribute != nullptr &&
                    is_now(attribute->default_value)) {
                    diagnostics_.warning(
                        "K09",
                        rule.position,
                        in_entity(entity) + "'" + one.attribute + "' is part of the index key '" +
                            rule.attribute + "': every update rewrites the index"
                    );
                }
            }
        }
    }
}

void KeyChecks::check_primary(const Entity& entity) {
    const auto variables = key_variables(entity, model_.table.key);
    const Names direct(variables.begin(), variables.end());
    const auto sources = with_sources(direct, entity);
    for (const auto& key : {model_.table.key.partition.name, sort_name()}) {
        if (!key.empty() && entity.find_key(key) == nullptr) {
            diagnostics_.error(
                "K01",
                entity.position,
                in_entity(entity) + "the primary key '" + key + "' has no template"
            );
        }
        const auto* rule = key.empty() ? nullptr : entity.find_key(key);
        if (rule != nullptr && rule->when) {
            diagnostics_.error(
                "K05", rule->position, in_entity(entity) + "a primary key cannot have `when`"
            );
        }
    }
    for (const auto& operation : model_.operations) {
        for (const auto& step : operation.writes) {
            if (step.verb == Verb::kPut || !targets(step, entity)) {
                continue;
            }
            for (const auto* assignments : {&step.set, &step.add, &step.append}) {
                for (const auto& one : *assignments) {
                    report_key_change(
                        entity, operation, direct, sources, {one.attribute, one.position}
                    );
                }
            }
            for (const auto& one : step.copy) {
                report_key_change(entity, operation, direct, sources, one);
            }
        }
    }
}

void KeyChecks::report_key_change(
    const Entity& entity,
    const Operation& operation,
    const Names& direct,
    const Names& sources,
    const Reference& attribute
) {
    if (!sources.contains(attribute.name)) {
        return;
    }
    const bool is_direct = direct.contains(attribute.name);
    diagnostics_.error(
        is_direct ? "K05" : "K17",
        attribute.position,
        "operation " + operation.name + ": '" + attribute.name +
            "' is part of the primary key of " + entity.name +
            (is_direct ? "" : " through a derived attribute") + " and cannot be changed",
        "delete the item and put a new one"
    );
}

void KeyChecks::check_whole_index(const Entity& entity) {
    each_key(model_.table, [&](const KeySchema& schema, const Index* index) {
        std::vector<KeyAttribute> keys = {schema.partition};
        if (schema.sort) {
            keys.push_back(*schema.sort);
        }
        const bool templated = std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
            const auto* rule = entity.find_key(key.name);
            return rule != nullptr && !rule->plain;
        });
        for (const auto& key : keys) {
            const auto* rule = entity.find_key(key.name);
            if (rule == nullptr && templated && index != nullptr) {
                diagnostics_.error(
                    "K11",
                    entity.position,
                    in_entity(entity) + "index " + index->name + " also needs '" + key.name +
                        "', which is neither a key nor an attribute here"
                );
            }
            if (rule != nullptr) {
                check_key_type(entity, *rule, key);
            }
        }
    });
}

void KeyChecks::check_key_type(const Entity& entity, const KeyRule& rule, const KeyAttribute& key) {
    const auto& segments = rule.key_template.segments();
    const auto* only = segments.size() == 1 ? std::get_if<KeyVariable>(&segments[0]) : nullptr;
    const auto* attribute = only != nullptr ? entity.find_attribute(only->name) : nullptr;
    const bool numeric = attribute != nullptr && (is_numeric(attribute->type) ||
                                                  attribute->type == AttributeType::kEpochMillis ||
                                                  attribute->type == AttributeType::kEpochSeconds);
    if (key.type == value::Type::kNumber && !numeric) {
        diagnostics_.error(
            "I01",
            rule.position,
            in_entity(entity) + "the key '" + key.name + "' is a number and gets " +
                quoted(rule.key_template.text())
        );
    }
    const bool bare_boolean =
        attribute != nullptr && attribute->type == AttributeType::kBoolean && !attribute->spelling;
    if (key.type == value::Type::kString && rule.plain && (numeric || bare_boolean)) {
        diagnostics_.error(
            "I01",
            rule.position,
            in_entity(entity) + "the key '" + key.name + "' is a string, the attribute is not"
        );
    }
}

bool KeyChecks::in_some_index(const Entity& entity, const KeyRule& rule) const {
    const auto& indexes = model_.table.indexes;
    return std::any_of(indexes.begin(), indexes.end(), [&](const Index& index) {
        const auto& key = index.key;
        return entity.in_index(key) && (key.partition.name == rule.attribute ||
                                        (key.sort && key.sort->name == rule.attribute));
    });
}

bool KeyChecks::is_now(const std::optional<Expression>& value) {
    const auto* word = value ? std::get_if<WordNode>(&value->root->node) : nullptr;
    return word != nullptr && word->word == Word::kNow;
}

bool KeyChecks::targets(const Step& step, const Entity& entity) {
    const auto& all = step.target.entities;
    return std::find(all.begin(), all.end(), &entity) != all.end();
}

std::string KeyChecks::sort_name() const {
    return model_.table.key.sort ? model_.table.key.sort->name : std::string();
}

value::Type KeyChecks::key_type(std::string_view attribute) const {
    auto type = value::Type::kString;
    each_key(model_.table, [&](const KeySchema& schema, const Index*) {
        if (schema.partition.name == attribute) {
            type = schema.partition.type;
        } else if (schema.sort && schema.sort->name == attribute) {
            type = schema.sort->type;
        }
    });
    return type;
}

void check_keys(const Model& model, Diagnostics& diagnostics) {
    KeyChecks(model, diagnostics).run();
}

}  // namespace gateleg::model

#include "model/entity_keys.h"

#include <algorithm>

#include "model/item_codec.h"
#include "model/resolve.h"
#include "model/taken_item.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;
using Names = std::set<std::string, std::less<>>;

const AttributeValue* find(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found != item.end() && !is_null(found->second) ? &found->second : nullptr;
}

// Derived attributes and the shard added, so that templates find every variable.
Result<Item> with_derived(
    const Entity& entity, const Item& attributes, const Environment& environment
) {
    Item all = attributes;
    for (const auto& attribute : entity.attributes) {
        if (attribute.is) {
            all.erase(attribute.name);
        }
    }
    Environment inner = environment;
    inner.item = &all;
    for (const auto& attribute : entity.attributes) {
        if (!attribute.is) {
            continue;
        }
        GATELEG_TRY_ASSIGN(const auto value, evaluate(*attribute.is, inner));
        if (!is_null(value)) {
            FieldErrors errors;
            auto settled =
                settle_value(attribute, to_stored(value, &attribute), attribute.name, errors);
            if (!settled) {
                return validation_error(errors.to_error().message);
            }
            all[attribute.name] = std::move(*settled);
        }
    }
    if (entity.shard) {
        all.try_emplace("shard", AttributeValue{std::string()});  // shards.h gives another
    }
    return all;
}

// One key attribute, or Null when it must not be there.
Result<AttributeValue> key_value(
    const KeyRule& rule, const KeyAttribute& key, const Item& all, const Environment& environment
) {
    const AttributeValue nothing{value::Null{}};
    if (rule.when) {
        Environment inner = environment;
        inner.item = &all;
        GATELEG_TRY_ASSIGN(const auto wanted, holds(*rule.when, inner));
        if (!wanted) {
            return nothing;
        }
    }
    if (rule.plain || key.type != value::Type::kString) {
        const auto variables = rule.key_template.variables();
        const auto* value = variables.size() == 1 ? find(all, variables[0]->name) : nullptr;
        return value != nullptr ? *value : nothing;
    }
    GATELEG_TRY_ASSIGN(auto text, rule.key_template.render(all));
    return text ? AttributeValue{std::move(*text)} : nothing;
}

template <class Visit>
void each_key(const KeySchema& schema, const Visit& visit) {
    visit(schema.partition);
    if (schema.sort) {
        visit(*schema.sort);
    }
}

// The synthetic keys of indexes; Null where one must not be written.
Result<Item> index_keys(
    const Model& model, const Entity& entity, const Item& all, const Environment& environment
) {
    Item keys;
    Names complete;
    for (const auto& index : model.table.indexes) {
        bool whole = true;
        std::optional<Error> failure;
        Names synthetic;
        each_key(index.key, [&](const KeyAttribute& key) {
            const auto* rule = entity.find_key(key.name);
            if (rule == nullptr || failure) {
                whole = false;
                return;
            }
            if (model.table.is_primary_key(key.name)) {
                return;
            }
            auto value = key_value(*rule, key, all, environment);
            if (!value) {
                failure = value.error();
                return;
            }
            whole &= !is_null(*value);
            if (!rule->plain) {
                synthetic.insert(key.name);
                keys[key.name] = std::move(*value);
            }
        });
        if (failure) {
            return *failure;
        }
        if (whole) {
            complete.insert(synthetic.begin(), synthetic.end());
        }
    }
    for (auto& [name, value] : keys) {
        if (!complete.contains(name)) {
            value = AttributeValue{value::Null{}};
        }
    }
    return keys;
}

Result<std::optional<Item>> primary_key_of(
    const Model& model, const Entity& entity, const Item& all, const Environment& environment
) {
    using Found = std::optional<Item>;
    Item key;
    std::optional<Error> failure;
    bool whole = true;
    each_key(model.table.key, [&](const KeyAttribute& attribute) {
        const auto* rule = entity.find_key(attribute.name);
        if (rule == nullptr) {
            whole = false;
            return;
        }
        auto value = key_value(*rule, attribute, all, environment);
        if (!value) {
            failure = value.error();
        } else if (is_null(*value)) {
            whole = false;
        } else {
            key[attribute.name] = std::move(*value);
        }
    });
    if (failure) {
        return *failure;
    }
    return whole ? Found(std::move(key)) : Found();
}

void add_needs(const ExprPtr& expr, const Entity& entity, Names& needs) {
    walk(expr, [&](const Expr& part) {
        const auto* name = std::get_if<NameNode>(&part.node);
        if (name == nullptr || name->meaning == NameNode::Meaning::kEnumValue) {
            return;
        }
        const auto* attribute = entity.find_attribute(name->name);
        if (attribute != nullptr && attribute->is) {
            add_needs(attribute->is->root, entity, needs);
        } else if (attribute != nullptr) {
            needs.insert(name->name);
        }
    });
}

void add_variable(const std::string& variable, const Entity& entity, Names& needs) {
    if (variable == "shard") {
        if (entity.shard) {
            needs.insert(entity.shard->by);
            needs.insert(entity.shard->at);
        }
        return;
    }
    const auto* attribute = entity.find_attribute(variable);
    if (attribute != nullptr && attribute->is) {
        add_needs(attribute->is->root, entity, needs);
    } else {
        needs.insert(variable);
    }
}

}  // namespace

Names needs_of(const ExprPtr& expr, const Entity& entity) {
    Names needs;
    add_needs(expr, entity, needs);
    return needs;
}

Result<Item> to_raw(
    const Model& model, const Entity& entity, const Item& attributes, const Environment& environment
) {
    GATELEG_TRY_ASSIGN(const auto all, with_derived(entity, attributes, environment));
    GATELEG_TRY_ASSIGN(auto key, primary_key_of(model, entity, all, environment));
    if (!key) {
        return validation_error("the key of " + entity.name + " needs a value that is missing");
    }
    GATELEG_TRY_ASSIGN(const auto indexed, index_keys(model, entity, all, environment));
    Item raw = std::move(*key);
    for (const auto& [name, value] : all) {
        const auto* attribute = entity.find_attribute(name);
        const bool stored = attribute != nullptr ? attribute->stored : name != "shard";
        const bool kept = !is_null(value) || (attribute != nullptr && attribute->keep_null &&
                                              !model.table.is_key_attribute(name));
        // What the model does not know may hold Null as it likes.
        if (stored && (kept || attribute == nullptr)) {
            raw[name] = value;
        }
    }
    for (const auto& [name, value] : indexed) {
        if (!is_null(value)) {
            raw[name] = value;
        }
    }
    if (!model.table.marker.empty() && entity.marker) {
        raw[model.table.marker] = AttributeValue{*entity.marker};
    }
    return raw;
}

Result<std::optional<Item>> primary_key(
    const Model& model, const Entity& entity, const Item& attributes, const Environment& environment
) {
    // A derived attribute in a primary key is rare: try without first.
    const bool derived = std::any_of(
        entity.attributes.begin(),
        entity.attributes.end(),
        [&](const Attribute& attribute) {
            bool used = false;
            each_key(model.table.key, [&](const KeyAttribute& key) {
                const auto* rule = entity.find_key(key.name);
                used |=
                    rule != nullptr && rule->key_template.find_variable(attribute.name) != nullptr;
            });
            return used && attribute.is && !attributes.contains(attribute.name);
        }
    );
    if (!derived) {
        return primary_key_of(model, entity, attributes, environment);
    }
    GATELEG_TRY_ASSIGN(const auto all, with_derived(entity, attributes, environment));
    return primary_key_of(model, entity, all, environment);
}

Result<Item> dependent_attributes(
    const Model& model, const Entity& entity, const Item& attributes, const Environment& environment
) {
    GATELEG_TRY_ASSIGN(const auto all, with_derived(entity, attributes, environment));
    GATELEG_TRY_ASSIGN(auto found, index_keys(model, entity, all, environment));
    for (const auto& attribute : entity.attributes) {
        if (attribute.is && attribute.stored) {
            const auto* value = find(all, attribute.name);
            found[attribute.name] = value != nullptr ? *value : AttributeValue{value::Null{}};
        }
    }
    return found;
}

Item to_attributes(const Model& model, const Entity& entity, const Item& raw) {
    return to_attributes(model, entity, Item(raw));
}

Item to_attributes(const Model& model, const Entity& entity, Item&& raw) {
    const auto& table = model.table;
    // What was made into a key comes out of it again. A part that is stored as well is that.
    Item parts;
    const auto parse = [&](const KeyAttribute& key) -> std::optional<Item> {
        const auto* rule = entity.find_key(key.name);
        const auto* value = rule != nullptr && !rule->plain ? find(raw, key.name) : nullptr;
        if (value == nullptr) {
            return std::nullopt;
        }
        if (const auto* text = std::get_if<std::string>(&value->data)) {
            return rule->key_template.parse_key(*text);
        }
        const auto names = rule->key_template.variables();
        return names.size() == 1 ? std::optional(Item{{names[0]->name, *value}}) : std::nullopt;
    };
    const auto unfold = [&](const KeyAttribute& key) {
        if (auto parsed = parse(key)) {
            parts.merge(*parsed);
        }
    };
    each_key(table.key, unfold);
    for (const auto& index : table.indexes) {
        each_key(index.key, unfold);
    }
    parts.erase("shard");
    // Keys that are no attributes leave the item.
    const auto leave = [&](const KeyAttribute& key) {
        if (entity.find_attribute(key.name) == nullptr) {
            raw.erase(key.name);
        }
    };
    each_key(table.key, leave);
    for (const auto& index : table.indexes) {
        each_key(index.key, leave);
    }
    raw.merge(parts);
    if (!table.marker.empty() && entity.find_attribute(table.marker) == nullptr) {
        raw.erase(table.marker);
    }
    return std::move(raw);
}

Item settled_attributes(const Model& model, const Entity& entity, const Item& raw) {
    auto attributes = to_attributes(model, entity, raw);
    const auto in_primary_key = [&](const std::string& name) {
        bool found = false;
        each_key(model.table.key, [&](const KeyAttribute& key) {
            const auto* rule = entity.find_key(key.name);
            found |= rule != nullptr && rule->key_template.find_variable(name) != nullptr;
        });
        return found;
    };
    for (const auto& attribute : entity.attributes) {
        if (attribute.stored && find(raw, attribute.name) == nullptr &&
            !in_primary_key(attribute.name)) {
            attributes.erase(attribute.name);
        }
    }
    return attributes;
}

Item key_of(const Table& table, const Item& raw) {
    Item key;
    each_key(table.key, [&](const KeyAttribute& attribute) {
        if (const auto* value = find(raw, attribute.name)) {
            key[attribute.name] = *value;
        }
    });
    return key;
}

bool is_expired(const Table& table, const Item& raw, std::int64_t now_millis) {
    if (table.ttl.empty()) {
        return false;
    }
    const auto* value = find(raw, table.ttl);
    const auto* end = value != nullptr ? std::get_if<value::Number>(&value->data) : nullptr;
    return end != nullptr && *end <= value::Number::from_int(now_millis / 1000);
}

Dependents find_dependents(const Model& model, const Entity& entity) {
    Dependents found;
    for (const auto& attribute : entity.attributes) {
        if (attribute.is && attribute.stored) {
            found.computed.push_back({attribute.name, needs_of(attribute.is->root, entity)});
        }
    }
    for (const auto& rule : entity.keys) {
        if (rule.plain || model.table.is_primary_key(rule.attribute)) {
            continue;
        }
        Names needs;
        // The keys of an index stand and fall together.
        for (const auto& index : model.table.indexes) {
            bool mine = false;
            each_key(index.key, [&](const KeyAttribute& key) {
                mine |= key.name == rule.attribute;
            });
            if (!mine) {
                continue;
            }
            each_key(index.key, [&](const KeyAttribute& key) {
                const auto* other = entity.find_key(key.name);
                if (other == nullptr) {
                    return;
                }
                for (const auto* variable : other->key_template.variables()) {
                    add_variable(variable->name, entity, needs);
                }
                if (other->when) {
                    add_needs(other->when->root, entity, needs);
                }
            });
        }
        found.computed.push_back({rule.attribute, std::move(needs)});
    }
    for (const auto& row : entity.rows) {
        if (row.loop) {
            add_needs(row.loop->list.root, entity, found.rows);
        }
        if (row.when) {
            add_needs(row.when->root, entity, found.rows);
        }
        for (const auto& one : row.set) {
            add_needs(one.value.root, entity, found.rows);
        }
        for (const auto& one : row.copy) {
            add_variable(one.name, entity, found.rows);
        }
    }
    return found;
}

}  // namespace gateleg::model

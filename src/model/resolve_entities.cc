// Attributes, keys and rows.

#include <algorithm>
#include <map>

#include "model/model_resolver.h"

namespace gateleg::model {
namespace {

// The attribute type that keeps what an expression of that type gives.
void take_type(Attribute& attribute, const Type& type, const Expr& root) {
    if (const auto* call = std::get_if<CallNode>(&root.node);
        call != nullptr && call->function == "epoch_s") {
        attribute.type = AttributeType::kEpochSeconds;
        attribute.json_number = true;
        return;
    }
    if (type.attribute != nullptr && type.attribute->type != AttributeType::kAny) {
        attribute.type = type.attribute->type;
        attribute.values = type.attribute->values;
        attribute.whole_seconds = type.attribute->whole_seconds;
        attribute.of = type.attribute->of;
        attribute.fields = type.attribute->fields;
        return;
    }
    switch (type.kind) {
        case ValueKind::kBoolean:
            attribute.type = AttributeType::kBoolean;
            break;
        case ValueKind::kNumber:
            attribute.type = AttributeType::kNumber;
            break;
        case ValueKind::kText:
            attribute.type = AttributeType::kString;
            break;
        case ValueKind::kTime:
            attribute.type = AttributeType::kTimestamp;
            break;
        case ValueKind::kList:
            attribute.type = AttributeType::kList;
            break;
        case ValueKind::kMap:
            attribute.type = AttributeType::kMap;
            break;
        case ValueKind::kAny:
        case ValueKind::kNull:
        case ValueKind::kDuration:
        case ValueKind::kSet:
        case ValueKind::kBinary:
        case ValueKind::kItem:
            break;
    }
}

}  // namespace

void ModelResolver::add_plain_keys(Entity& entity) {
    const auto add = [&](const KeyAttribute& key) {
        // What is not stored under its name cannot be found by it.
        const auto* attribute = entity.find_attribute(key.name);
        if (entity.find_key(key.name) == nullptr && attribute != nullptr && attribute->stored) {
            auto parsed = KeyTemplate::parse("{" + key.name + "}");
            if (parsed) {
                KeyRule rule{key.name, attribute->position, *parsed, {}};
                rule.plain = true;
                entity.keys.push_back(std::move(rule));
            }
        }
    };
    const auto add_all = [&](const KeySchema& schema) {
        add(schema.partition);
        if (schema.sort) {
            add(*schema.sort);
        }
    };
    add_all(model_.table.key);
    for (const auto& index : model_.table.indexes) {
        add_all(index.key);
    }
    for (const auto& rule : entity.keys) {
        if (!model_.table.is_key_attribute(rule.attribute)) {
            diagnostics_.error(
                "M01",
                rule.position,
                "entity " + entity.name + ": '" + rule.attribute + "' is no key of the table"
            );
        }
    }
}

void ModelResolver::resolve_derived(Entity& entity) {
    std::map<std::string, int> state;  // 1 under way, 2 done
    for (auto& attribute : entity.attributes) {
        resolve_derived(entity, attribute, state);
    }
}

void ModelResolver::resolve_derived(
    Entity& entity, Attribute& attribute, std::map<std::string, int>& state
) {
    auto& mine = state[attribute.name];
    if (!attribute.is || mine == 2) {
        return;
    }
    if (mine == 1) {
        diagnostics_.error(
            "E05",
            attribute.position,
            entity.name + "." + attribute.name + " is derived from itself"
        );
        attribute.is.reset();
        return;
    }
    mine = 1;
    const auto root = attribute.is->root;  // a circle takes the expression away below
    walk(root, [&](const Expr& expr) {
        const auto* name = std::get_if<NameNode>(&expr.node);
        if (name == nullptr) {
            return;
        }
        for (auto& other : entity.attributes) {
            if (other.name == name->name) {
                resolve_derived(entity, other, state);
            }
        }
    });
    state[attribute.name] = 2;
    if (!attribute.is) {
        return;
    }
    const bool typed = attribute.type != AttributeType::kAny;
    const auto expected = typed ? type_of(attribute) : Type{};
    const auto type = resolve(
        *attribute.is, scope_of(entity, entity.name + "." + attribute.name), expected, diagnostics_
    );
    if (!typed) {
        take_type(attribute, type, *attribute.is->root);
    } else {
        check_fits(type, attribute, *attribute.is, entity.name + "." + attribute.name);
    }
}

void ModelResolver::set_key_types(Entity& entity) {
    for (auto& rule : entity.keys) {
        for (const auto* variable : rule.key_template.variables()) {
            if (variable->name == "shard") {
                continue;
            }
            const auto* attribute = entity.find_attribute(variable->name);
            if (attribute == nullptr) {
                diagnostics_.error(
                    "K01",
                    rule.position,
                    "entity " + entity.name + ": the key '" + rule.key_template.text() +
                        "' uses an unknown attribute '" + variable->name + "'",
                    did_you_mean(variable->name, names_of(entity.attributes))
                );
                continue;
            }
            rule.key_template.set_type(variable->name, key_value_type(*attribute));
        }
    }
}

void ModelResolver::resolve_entity(Entity& entity) {
    const auto where = "entity " + entity.name;
    const auto scope = scope_of(entity, where);
    for (auto& rule : entity.keys) {
        if (rule.when) {
            resolve_condition(*rule.when, scope);
        }
    }
    for (auto& attribute : entity.attributes) {
        if (attribute.default_value) {
            // There is no item yet whose attributes it could name.
            resolve_value(*attribute.default_value, empty_scope(where), attribute);
        }
    }
    if (entity.visible) {
        resolve_condition(*entity.visible, scope);
    }
    if (entity.full) {
        resolve_condition(*entity.full, scope);
    }
    for (const auto& name : entity.public_names) {
        check_names_attribute(entity, name.name, "public");
    }
    check_names_attribute(entity, entity.version, "version");
    if (entity.shard) {
        check_names_attribute(entity, entity.shard->by, "shard.by");
        check_names_attribute(entity, entity.shard->at, "shard.at");
    }
    for (auto& row : entity.rows) {
        resolve_row(entity, row);
    }
}

void ModelResolver::check_names_attribute(
    const Entity& entity, const std::string& name, std::string_view property
) {
    if (!name.empty() && entity.find_attribute(name) == nullptr) {
        diagnostics_.error(
            "M01",
            entity.position,
            "entity " + entity.name + ": " + std::string(property) + " names no attribute '" +
                name + "'",
            did_you_mean(name, names_of(entity.attributes))
        );
    }
}

void ModelResolver::resolve_row(Entity& owner, Step& row) {
    auto scope = scope_of(owner, "rows of " + owner.name);
    if (row.verb != Verb::kPut) {
        diagnostics_.error("Y04", row.position, "rows of " + owner.name + ": a row is a put");
        return;
    }
    resolve_target(row.target, scope, {});
    if (row.loop) {
        add_loop(*row.loop, scope);
    }
    if (row.when) {
        resolve_condition(*row.when, scope);
    }
    if (row.target.entities.empty()) {
        return;
    }
    const auto& target = *row.target.entities.front();
    // The model is not const here; owners are filled as rows are found.
    auto& owners = const_cast<Entity&>(target).owners;
    if (std::find(owners.begin(), owners.end(), &owner) == owners.end()) {
        owners.push_back(&owner);
    }
    resolve_assignments(row.set, scope, row.target.entities);
    for (const auto& one : row.copy) {
        if (target.find_attribute(one.name) == nullptr) {
            unknown(
                "attribute",
                one,
                "rows of " + owner.name + ", " + target.name,
                names_of(target.attributes)
            );
        }
        if (owner.find_attribute(one.name) == nullptr) {
            unknown("attribute", one, owner.name, names_of(owner.attributes));
        }
    }
    resolve_conditions(row, scope);
}

}  // namespace gateleg::model

#include "model/build_item.h"

#include <algorithm>

namespace gateleg::model {
namespace {

using value::AttributeValue;

bool is_null(const AttributeValue& value) {
    return std::holds_alternative<value::Null>(value.data);
}

bool has_value(const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    return found != attributes.end() && !is_null(found->second);
}

// The key attributes of an index, or of the table.
std::vector<const KeyAttribute*> parts_of(const KeySchema& key) {
    std::vector<const KeyAttribute*> parts = {&key.partition};
    if (key.sort) {
        parts.push_back(&*key.sort);
    }
    return parts;
}

Result<std::optional<AttributeValue>> render_rule(
    const KeyRule& rule,
    const KeyAttribute& key,
    const Attributes& attributes,
    const Environment& environment
) {
    if (rule.when) {
        auto inner = environment;
        inner.item = &attributes;
        GATELEG_TRY_ASSIGN(const bool there, holds(*rule.when, inner));
        if (!there) {
            return std::optional<AttributeValue>();
        }
    }
    if (key.type == value::Type::kNumber) {
        // One numeric variable and nothing else; the checker has seen to it.
        const auto* variable = std::get_if<KeyVariable>(&rule.key_template.segments().front());
        const auto found = variable != nullptr ? attributes.find(variable->name) : attributes.end();
        if (found == attributes.end() || is_null(found->second)) {
            return std::optional<AttributeValue>();
        }
        return std::optional(found->second);
    }
    GATELEG_TRY_ASSIGN(auto text, rule.key_template.render(attributes));
    if (!text) {
        return std::optional<AttributeValue>();
    }
    return std::optional(AttributeValue{std::move(*text)});
}

}  // namespace

Result<void> apply_defaults(
    const Entity& entity, Attributes& attributes, const Environment& environment
) {
    for (const auto& attribute : entity.attributes) {
        // A null that was given stays: it says that there is no value.
        if (!attribute.default_value || attributes.contains(attribute.name)) {
            continue;
        }
        GATELEG_TRY_ASSIGN(const auto value, evaluate(*attribute.default_value, environment));
        attributes[attribute.name] = to_stored(value, &attribute);
    }
    return {};
}

Result<void> derive(const Entity& entity, Attributes& attributes, const Environment& environment) {
    for (const auto& attribute : entity.attributes) {
        if (attribute.is) {
            attributes.erase(attribute.name);
        }
    }
    for (const auto& attribute : entity.attributes) {
        if (!attribute.is) {
            continue;
        }
        auto inner = environment;
        inner.item = &attributes;
        GATELEG_TRY_ASSIGN(const auto value, evaluate(*attribute.is, inner));
        attributes[attribute.name] = to_stored(value, &attribute);
    }
    return {};
}

Result<value::Item> render_keys(
    const Model& model,
    const Entity& entity,
    const Attributes& attributes,
    const Environment& environment
) {
    value::Item keys;
    Attributes with_shard = attributes;
    if (entity.shard) {
        with_shard.try_emplace("shard", AttributeValue{std::string()});
    }
    const auto render = [&](const KeySchema& schema, bool all_or_none) -> Result<void> {
        value::Item found;
        bool complete = true;
        for (const auto* key : parts_of(schema)) {
            const auto* rule = entity.find_key(key->name);
            if (rule == nullptr) {
                return {};
            }
            if (rule->plain) {
                complete &= has_value(attributes, key->name);
                continue;
            }
            GATELEG_TRY_ASSIGN(auto value, render_rule(*rule, *key, with_shard, environment));
            complete &= value.has_value();
            if (value) {
                found[key->name] = std::move(*value);
            }
        }
        if (complete || !all_or_none) {
            keys.merge(found);
        }
        return {};
    };
    GATELEG_TRY(render(model.table.key, false));
    for (const auto& index : model.table.indexes) {
        GATELEG_TRY(render(index.key, true));
    }
    return keys;
}

value::Item stored_item(
    const Model& model, const Entity& entity, const Attributes& attributes, value::Item keys
) {
    auto item = std::move(keys);
    if (entity.marker) {
        item[model.table.marker] = AttributeValue{*entity.marker};
    }
    for (const auto& [name, value] : attributes) {
        const auto* attribute = entity.find_attribute(name);
        if (attribute == nullptr) {
            if (entity.open && name != "shard" && !is_null(value)) {
                item.try_emplace(name, value);
            }
            continue;
        }
        if (attribute->stored && (!is_null(value) || attribute->keep_null)) {
            item[name] = value;
        }
    }
    return item;
}

Result<value::Item> build_item(
    const Model& model, const Entity& entity, Attributes given, const Environment& environment
) {
    GATELEG_TRY(apply_defaults(entity, given, environment));
    GATELEG_TRY(derive(entity, given, environment));
    GATELEG_TRY_ASSIGN(auto keys, render_keys(model, entity, given, environment));
    return stored_item(model, entity, given, std::move(keys));
}

std::optional<Attributes> take_apart(
    const Model& model, const Entity& entity, const value::Item& item
) {
    Attributes attributes;
    for (const auto* key : parts_of(model.table.key)) {
        const auto* rule = entity.find_key(key->name);
        const auto found = item.find(key->name);
        if (rule == nullptr || found == item.end()) {
            return std::nullopt;
        }
        const auto* text = std::get_if<std::string>(&found->second.data);
        if (text == nullptr) {
            continue;  // a plain number: copied below
        }
        auto parsed = rule->key_template.parse_key(*text);
        if (!parsed) {
            return std::nullopt;
        }
        for (const auto& [name, value] : *parsed) {
            const auto [place, is_new] = attributes.emplace(name, value);
            if (!is_new && !(place->second == value)) {
                return std::nullopt;
            }
        }
    }
    const auto& marker = model.table.marker;
    if (!marker.empty()) {
        const auto found = item.find(marker);
        const auto* text =
            found != item.end() ? std::get_if<std::string>(&found->second.data) : nullptr;
        if (entity.marker ? text == nullptr || *text != *entity.marker : text != nullptr) {
            return std::nullopt;
        }
    }
    for (const auto& [name, value] : item) {
        const auto* attribute = entity.find_attribute(name);
        const bool key = model.table.is_key_attribute(name) || name == marker;
        if (attribute != nullptr || (entity.open && !key)) {
            attributes.insert_or_assign(name, value);
        }
    }
    return attributes;
}

}  // namespace gateleg::model

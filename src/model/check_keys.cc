#include <algorithm>
#include <functional>

#include "model/check_rules.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

constexpr std::size_t kMaxIndexes = 20;
constexpr std::size_t kMaxProjected = 100;

std::string in_entity(const Entity& entity) {
    return "entity " + entity.name + ": ";
}

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

value::Number power_of_ten(int exponent) {
    return *value::Number::parse("1E" + std::to_string(exponent));
}

void each_key(const Table& table, const std::function<void(const KeySchema&, const Index*)>& use) {
    use(table.key, nullptr);
    for (const auto& index : table.indexes) {
        use(index.key, &index);
    }
}

class KeyChecks {
public:
    KeyChecks(const Model& model, Diagnostics& diagnostics)
        : model_(model), diagnostics_(diagnostics) {}

    void run() {
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

private:
    // K01, K02: the key can be taken apart again.
    void check_shape(const Entity& entity, const KeyRule& rule) {
        const auto& segments = rule.key_template.segments();
        for (std::size_t at = 0; at < segments.size(); ++at) {
            const auto* variable = std::get_if<KeyVariable>(&segments[at]);
            if (variable == nullptr) {
                continue;
            }
            if (variable->name == "shard" && (!entity.shard || at + 1 < segments.size())) {
                diagnostics_.error(
                    "K01",
                    rule.position,
                    in_entity(entity) + (entity.shard ? "{shard} must end its template"
                                                      : "{shard} needs a shard property")
                );
            }
            if (at + 1 == segments.size()) {
                continue;
            }
            if (const auto* next = std::get_if<KeyVariable>(&segments[at + 1])) {
                const bool fixed = !std::holds_alternative<std::monostate>(variable->format);
                if (!fixed) {
                    diagnostics_.error(
                        "K01",
                        rule.position,
                        in_entity(entity) + "nothing parts '" + variable->name + "' and '" +
                            next->name + "' in " + quoted(rule.key_template.text()),
                        "put a literal such as # between them"
                    );
                }
                continue;
            }
            check_separator(entity, rule, *variable, std::get<std::string>(segments[at + 1])[0]);
        }
    }

    void check_separator(
        const Entity& entity, const KeyRule& rule, const KeyVariable& variable, char separator
    ) {
        const auto* attribute = entity.find_attribute(variable.name);
        if (attribute == nullptr) {
            return;
        }
        const std::string sign(1, separator);
        const auto text = "'" + sign + "' ends '" + variable.name + "' in " +
                          quoted(rule.key_template.text()) + " and ";
        const bool formatted = !std::holds_alternative<std::monostate>(variable.format);
        std::string holder;
        for (const auto& value : attribute->values) {
            if (value.find(separator) != std::string::npos) {
                holder = quoted(value);
            }
        }
        const bool time =
            attribute->type == AttributeType::kTimestamp && !formatted &&
            std::string_view("0123456789-:.TZ").find(separator) != std::string_view::npos;
        const bool number =
            is_numeric(attribute->type) && !formatted &&
            std::string_view("0123456789.-").find(separator) != std::string_view::npos;
        if (!holder.empty() || time || number) {
            diagnostics_.error(
                "K02",
                rule.position,
                in_entity(entity) + text + "occurs in " +
                    (holder.empty() ? "every value of that type" : holder)
            );
            return;
        }
        if (attribute->type != AttributeType::kString || attribute->is) {
            return;
        }
        if (attribute->regex && separator == '#' && key_value_type(*attribute).may_hold_hash) {
            diagnostics_.error(
                "K02",
                rule.position,
                in_entity(entity) + text + "its pattern allows it",
                "exclude it, as in ^[^" + sign + "]+$"
            );
        } else if (!attribute->regex) {
            diagnostics_.info(
                "K02",
                rule.position,
                in_entity(entity) + text + "a value that holds it is refused when it is written"
            );
        }
    }

    // K04, K14, K15: order and width of numbers.
    void check_formats(const Entity& entity, const KeyRule& rule) {
        const bool is_sort = sort_key(rule.attribute);
        for (const auto* variable : rule.key_template.variables()) {
            const auto* attribute = entity.find_attribute(variable->name);
            if (attribute == nullptr) {
                continue;
            }
            if (const auto* format = std::get_if<NumberFormat>(&variable->format)) {
                check_padding(entity, rule, *attribute, *format);
            } else if (std::holds_alternative<DateFormat>(variable->format)) {
                if (!is_time(attribute->type)) {
                    diagnostics_.error(
                        "K01",
                        rule.position,
                        in_entity(entity) + "a date format needs a time, '" + attribute->name +
                            "' is " + std::string(attribute_type_name(attribute->type))
                    );
                }
            } else if (is_sort && !rule.plain && key_type(rule.attribute) == value::Type::kString) {
                check_unpadded(entity, rule, *attribute);
            }
            check_in_key(entity, rule, *attribute);
        }
    }

    void check_in_key(const Entity& entity, const KeyRule& rule, const Attribute& attribute) {
        switch (attribute.type) {
            case AttributeType::kList:
            case AttributeType::kMap:
            case AttributeType::kSet:
            case AttributeType::kBinary:
            case AttributeType::kAny:
                if (!(rule.plain && attribute.type == AttributeType::kBinary)) {
                    diagnostics_.error(
                        "K01",
                        rule.position,
                        in_entity(entity) + "'" + attribute.name + "' of type " +
                            std::string(attribute_type_name(attribute.type)) +
                            " cannot be part of a key"
                    );
                }
                break;
            default:
                break;
        }
        if (attribute.keep_null && rule.plain) {
            diagnostics_.error(
                "I01",
                rule.position,
                in_entity(entity) + "'" + attribute.name +
                    "' is an index key; DynamoDB refuses NULL there",
                "drop keep_null"
            );
        }
    }

    void check_padding(
        const Entity& entity,
        const KeyRule& rule,
        const Attribute& attribute,
        const NumberFormat& format
    ) {
        const auto text = in_entity(entity) + "'" + attribute.name + "' in " +
                          quoted(rule.key_template.text()) + " ";
        if (is_time(attribute.type)) {
            const int digits = attribute.type == AttributeType::kEpochMillis ? 13 : 10;
            if (attribute.type == AttributeType::kTimestamp || format.width < digits) {
                diagnostics_.error(
                    "K04",
                    rule.position,
                    text + "does not fit " + std::to_string(format.width) + " characters"
                );
            }
            return;
        }
        if (!is_numeric(attribute.type)) {
            diagnostics_.error("K04", rule.position, text + "is padded and no number");
            return;
        }
        if (format.decimals > 0) {
            const int whole = format.width - format.decimals - 1;
            const int decimals =
                attribute.type == AttributeType::kInteger ? 0 : attribute.decimals.value_or(99);
            if (decimals > format.decimals) {
                diagnostics_.error(
                    "K15",
                    rule.position,
                    text + "needs decimals: " + std::to_string(format.decimals) + " or fewer"
                );
            }
            if (!attribute.max || *attribute.max >= power_of_ten(whole)) {
                diagnostics_.error(
                    "K15",
                    rule.position,
                    text + "needs a max of at most " + std::to_string(whole) + " digits",
                    "0W.D counts the point and the decimals in W"
                );
            }
        } else {
            if (attribute.type == AttributeType::kNumber && attribute.decimals.value_or(1) != 0) {
                diagnostics_.error("K15", rule.position, text + "may have decimals", "use 0W.D");
            }
            if (!attribute.max || *attribute.max >= power_of_ten(format.width)) {
                diagnostics_.error(
                    "K04",
                    rule.position,
                    text + "needs a max of at most " + std::to_string(format.width) + " digits"
                );
            }
        }
        const bool positive = (attribute.min && !attribute.min->is_negative()) ||
                              (attribute.above && !attribute.above->is_negative());
        if (!positive) {
            diagnostics_.error("K04", rule.position, text + "may be negative", "say min: 0");
        }
    }

    void check_unpadded(const Entity& entity, const KeyRule& rule, const Attribute& attribute) {
        const bool number = is_numeric(attribute.type) ||
                            attribute.type == AttributeType::kEpochMillis ||
                            attribute.type == AttributeType::kEpochSeconds;
        if (!number) {
            return;
        }
        if (attribute.min && attribute.max && !attribute.min->is_negative() &&
            attribute.min->to_text().size() == attribute.max->to_text().size()) {
            return;
        }
        diagnostics_.warning(
            "K14",
            rule.position,
            in_entity(entity) + "the number '" + attribute.name +
                "' is not padded in the sort key " + quoted(rule.key_template.text()) +
                ": 10 sorts before 9",
            "write {" + attribute.name + ":013}, or give min and max of equal length"
        );
    }

    // K07, K08: partitions that everything falls into.
    void check_constant_partition(const Entity& entity, const KeyRule& rule) {
        if (rule.plain || entity.built_in || model_.table.is_primary_key(rule.attribute) ||
            sort_key(rule.attribute)) {
            return;
        }
        const auto variables = rule.key_template.variables();
        if (variables.empty()) {
            diagnostics_.warning(
                "K07",
                rule.position,
                in_entity(entity) + "every item has the partition " +
                    quoted(rule.key_template.text()) +
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

    // K06, K09: attributes that change often, inside keys.
    void check_rewrites(const Entity& entity, const KeyRule& rule) {
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
                            in_entity(entity) + "'" + one.attribute +
                                "' is part of the index key '" + rule.attribute +
                                "': every update rewrites the index"
                        );
                    }
                }
            }
        }
    }

    // K05, K17: the primary key of an item cannot change.
    void check_primary(const Entity& entity) {
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

    void report_key_change(
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

    // K11, I01 and types of index keys.
    void check_whole_index(const Entity& entity) {
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

    void check_key_type(const Entity& entity, const KeyRule& rule, const KeyAttribute& key) {
        const auto& segments = rule.key_template.segments();
        const auto* only = segments.size() == 1 ? std::get_if<KeyVariable>(&segments[0]) : nullptr;
        const auto* attribute = only != nullptr ? entity.find_attribute(only->name) : nullptr;
        const bool numeric =
            attribute != nullptr &&
            (is_numeric(attribute->type) || attribute->type == AttributeType::kEpochMillis ||
             attribute->type == AttributeType::kEpochSeconds);
        if (key.type == value::Type::kNumber && !numeric) {
            diagnostics_.error(
                "I01",
                rule.position,
                in_entity(entity) + "the key '" + key.name + "' is a number and gets " +
                    quoted(rule.key_template.text())
            );
        }
        const bool bare_boolean = attribute != nullptr &&
                                  attribute->type == AttributeType::kBoolean &&
                                  !attribute->spelling;
        if (key.type == value::Type::kString && rule.plain && (numeric || bare_boolean)) {
            diagnostics_.error(
                "I01",
                rule.position,
                in_entity(entity) + "the key '" + key.name + "' is a string, the attribute is not"
            );
        }
    }

    bool in_some_index(const Entity& entity, const KeyRule& rule) const {
        const auto& indexes = model_.table.indexes;
        return std::any_of(indexes.begin(), indexes.end(), [&](const Index& index) {
            const auto& key = index.key;
            return entity.in_index(key) && (key.partition.name == rule.attribute ||
                                            (key.sort && key.sort->name == rule.attribute));
        });
    }
    static bool is_now(const std::optional<Expression>& value) {
        const auto* word = value ? std::get_if<WordNode>(&value->root->node) : nullptr;
        return word != nullptr && word->word == Word::kNow;
    }
    static bool targets(const Step& step, const Entity& entity) {
        const auto& all = step.target.entities;
        return std::find(all.begin(), all.end(), &entity) != all.end();
    }
    std::string sort_name() const {
        return model_.table.key.sort ? model_.table.key.sort->name : std::string();
    }
    bool sort_key(std::string_view attribute) const {
        bool found = false;
        each_key(model_.table, [&](const KeySchema& schema, const Index*) {
            found |= schema.sort && schema.sort->name == attribute;
        });
        return found;
    }
    value::Type key_type(std::string_view attribute) const {
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

    const Model& model_;
    Diagnostics& diagnostics_;
};

bool listed_together(const Model& model, const Index& index, const Entity& a, const Entity& b) {
    return std::any_of(model.patterns.begin(), model.patterns.end(), [&](const Pattern& pattern) {
        const auto& all = pattern.entities;
        return pattern.table_index == &index &&
               std::find(all.begin(), all.end(), &a) != all.end() &&
               std::find(all.begin(), all.end(), &b) != all.end();
    });
}

// K03: keys that two entities share.
void check_primary_overlap(
    const Model& model, const Entity& a, const Entity& b, Diagnostics& diagnostics
) {
    std::vector<std::string> keys = {model.table.key.partition.name};
    if (model.table.key.sort) {
        keys.push_back(model.table.key.sort->name);
    }
    for (const auto& key : keys) {
        const auto* left = a.find_key(key);
        const auto* right = b.find_key(key);
        if (left == nullptr || right == nullptr ||
            !can_meet(left->key_template, right->key_template)) {
            return;
        }
    }
    const auto at = b.built_in ? a.position : b.position;
    const auto text = "entities " + a.name + " and " + b.name + " can have the same primary key";
    if (model.table.marker.empty() || a.marker == b.marker) {
        diagnostics.error("K03", at, text, "give one of them a literal of its own");
    } else {
        diagnostics.info("K03", at, text + "; only the marker tells them apart");
    }
}

// K12, K13: what else is in an index.
void check_index_members(const Model& model, const Index& index, Diagnostics& diagnostics) {
    std::vector<const Entity*> members;
    for (const auto& entity : model.entities) {
        if (entity.in_index(index.key)) {
            members.push_back(&entity);
        }
    }
    std::string uninvited;
    for (const auto* entity : members) {
        const bool plain = entity->find_key(index.key.partition.name)->plain &&
                           (!index.key.sort || entity->find_key(index.key.sort->name)->plain);
        const bool asked =
            std::any_of(model.patterns.begin(), model.patterns.end(), [&](const Pattern& pattern) {
                const auto& all = pattern.entities;
                return pattern.table_index == &index &&
                       std::find(all.begin(), all.end(), entity) != all.end();
            });
        if (plain && !asked) {
            uninvited += (uninvited.empty() ? "" : ", ") + entity->name;
        }
    }
    if (!uninvited.empty()) {
        diagnostics.warning(
            "K12",
            index.position,
            "index " + index.name + " also holds " + uninvited + ", which no pattern on it asks for"
        );
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        for (std::size_t j = i + 1; j < members.size(); ++j) {
            const auto* left = members[i]->find_key(index.key.partition.name);
            const auto* right = members[j]->find_key(index.key.partition.name);
            if ((left->plain && right->plain) ||
                !can_meet(left->key_template, right->key_template) ||
                listed_together(model, index, *members[i], *members[j])) {
                continue;
            }
            diagnostics.error(
                "K13",
                right->position,
                "index " + index.name + ": partitions of " + members[i]->name + " " +
                    quoted(left->key_template.text()) + " and " + members[j]->name + " " +
                    quoted(right->key_template.text()) + " can meet, and no pattern lists both"
            );
        }
    }
}

}  // namespace

void check_table(const Model& model, Diagnostics& diagnostics) {
    const auto& table = model.table;
    if (table.indexes.size() > kMaxIndexes) {
        diagnostics.error("I01", table.position, "a table has at most 20 indexes");
    }
    std::size_t projected = 0;
    for (const auto& index : table.indexes) {
        projected += index.projected.size();
        const bool used =
            std::any_of(model.patterns.begin(), model.patterns.end(), [&](const Pattern& pattern) {
                return pattern.table_index == &index;
            });
        if (!used) {
            diagnostics.warning("I03", index.position, "no pattern uses index " + index.name);
        }
    }
    if (projected > kMaxProjected) {
        diagnostics.error("I01", table.position, "indexes project at most 100 attributes in all");
    }
}

void check_attributes(const Model& model, Diagnostics& diagnostics) {
    const auto& table = model.table;
    for (const auto& entity : model.entities) {
        if (entity.built_in) {
            continue;
        }
        const auto variables = key_variables(entity, table.key);
        for (const auto& attribute : entity.attributes) {
            const auto* rule = entity.find_key(attribute.name);
            const auto name = in_entity(entity) + "'" + attribute.name + "' ";
            if ((rule != nullptr && !rule->plain) || attribute.name == table.marker) {
                diagnostics.error(
                    "A01", attribute.position, name + "is also a key attribute or the marker"
                );
            }
            const bool in_key =
                std::find(variables.begin(), variables.end(), attribute.name) != variables.end();
            if (attribute.key_only() && !in_key) {
                diagnostics.error(
                    "A03",
                    attribute.position,
                    name + "is neither stored, derived nor part of the primary key"
                );
            }
            if (attribute.is && attribute.stored) {
                walk(attribute.is->root, [&](const Expr& expr) {
                    const auto* word = std::get_if<WordNode>(&expr.node);
                    if (word != nullptr && word->word == Word::kNow) {
                        diagnostics.warning(
                            "A04",
                            attribute.position,
                            name + "is stored and depends on now: it goes stale",
                            "stored: false"
                        );
                    }
                });
            }
            if (!table.ttl.empty() && attribute.name == table.ttl &&
                attribute.type != AttributeType::kEpochSeconds) {
                diagnostics.error(
                    "T01", attribute.position, name + "is the table's ttl and must be epoch_s"
                );
            }
        }
    }
}

void check_keys(const Model& model, Diagnostics& diagnostics) {
    KeyChecks(model, diagnostics).run();
}

void check_shared_keys(const Model& model, Diagnostics& diagnostics) {
    const auto& all = model.entities;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            check_primary_overlap(model, all[i], all[j], diagnostics);
        }
    }
    for (const auto& index : model.table.indexes) {
        check_index_members(model, index, diagnostics);
    }
}

}  // namespace gateleg::model

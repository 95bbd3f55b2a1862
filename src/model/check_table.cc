// The table as a whole: limits, attributes, and entities that share keys.

#include <algorithm>

#include "model/key_checks.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

constexpr std::size_t kMaxIndexes = 20;
constexpr std::size_t kMaxProjected = 100;

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

#include <algorithm>

#include "model/check_rules.h"
#include "model/condition.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

using ReferenceList = std::vector<Reference>;

bool lists(const ReferenceList& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](const auto& one) {
        return one.name == name;
    });
}

// The template with its variables taken for one another: what two entities must share.
std::string shape_of(const KeyTemplate& key) {
    std::string shape;
    for (const auto& segment : key.segments()) {
        const auto* literal = std::get_if<std::string>(&segment);
        shape += literal != nullptr ? *literal : "{}";
    }
    return shape;
}

// The literal a sort key begins with.
std::string beginning(const KeyTemplate& key) {
    const auto* literal = std::get_if<std::string>(&key.segments().front());
    return literal != nullptr ? *literal : std::string();
}

// The attribute that must be the caller for an item to be seen, by every way through the rule;
// empty if there is none.
std::string owner_attribute(const ExprPtr& rule) {
    const auto* node = std::get_if<BinaryNode>(&rule->node);
    if (node == nullptr) {
        return {};
    }
    if (node->op == BinaryOp::kAnd) {
        const auto left = owner_attribute(node->left);
        return left.empty() ? owner_attribute(node->right) : left;
    }
    if (node->op != BinaryOp::kEqual) {
        return {};
    }
    const auto is_caller = [](const ExprPtr& side) {
        const auto* word = std::get_if<WordNode>(&side->node);
        return word != nullptr && word->word == Word::kCaller;
    };
    const auto* left = std::get_if<NameNode>(&node->left->node);
    const auto* right = std::get_if<NameNode>(&node->right->node);
    if (left != nullptr && is_caller(node->right)) {
        return left->name;
    }
    return right != nullptr && is_caller(node->left) ? right->name : std::string();
}

class PatternChecks {
public:
    PatternChecks(const Model& model, const Pattern& pattern, Diagnostics& diagnostics)
        : model_(model), pattern_(pattern), diagnostics_(diagnostics) {}

    void run() {
        if (pattern_.entities.empty() ||
            (!pattern_.index.empty() && pattern_.table_index == nullptr)) {
            return;
        }
        check_access();
        if (pattern_.consistent && pattern_.table_index != nullptr) {
            error(
                "I04", "an index cannot be read consistently", "drop consistent, or load the item"
            );
        }
        if (pattern_.get) {
            check_get();
        } else {
            check_query();
        }
        check_owner();
        check_projection();
        check_filter();
    }

private:
    void error(std::string_view id, const std::string& message, const std::string& hint = {}) {
        diagnostics_.error(
            id, pattern_.position, "pattern " + pattern_.name + ": " + message, hint
        );
    }
    void warning(std::string_view id, const std::string& message, const std::string& hint = {}) {
        diagnostics_.warning(
            id, pattern_.position, "pattern " + pattern_.name + ": " + message, hint
        );
    }

    bool is_fixed(std::string_view name) const {
        return std::any_of(pattern_.fixed.begin(), pattern_.fixed.end(), [&](const auto& one) {
            return one.attribute == name;
        });
    }
    bool is_given(std::string_view name) const {
        return lists(pattern_.by, name) || is_fixed(name);
    }

    // V01, V02
    void check_access() {
        const bool open = pattern_.allow.kind == Access::Kind::kAnyone ||
                          pattern_.allow.kind == Access::Kind::kSignedIn;
        if (pattern_.unfiltered && open) {
            error("V02", "unfiltered needs a role or internal");
        }
        for (const auto* entity : pattern_.returned()) {
            if (open && !entity->visible && !pattern_.unfiltered) {
                error(
                    "V01",
                    "entity " + entity->name + " says nothing about who sees it",
                    "write visible: \"true\" if everyone may"
                );
            }
        }
    }

    // P02
    void check_owner() {
        const bool open = pattern_.allow.kind == Access::Kind::kAnyone ||
                          pattern_.allow.kind == Access::Kind::kSignedIn;
        if (!open || pattern_.get || pattern_.one || pattern_.unfiltered || pattern_.load) {
            return;
        }
        for (const auto* entity : pattern_.entities) {
            const auto owner = entity->visible ? owner_attribute(entity->visible->root) : "";
            if (!owner.empty() && !is_given(owner)) {
                warning(
                    "P02",
                    "it reads what belongs to everybody, and shows the caller's " + entity->name +
                        " only",
                    "make '" + owner + "' part of the key, and write fixed: { " + owner +
                        ": caller }"
                );
            }
        }
    }

    void check_get() {
        const auto variables = key_variables(*pattern_.entities.front(), model_.table.key);
        if (pattern_.table_index != nullptr || pattern_.entities.size() > 1) {
            error(
                "P03",
                "get reads one entity from the table",
                "an index is read with query and one: true"
            );
        }
        for (const auto& one : pattern_.fixed) {
            if (std::find(variables.begin(), variables.end(), one.attribute) == variables.end()) {
                error("P03", "'" + one.attribute + "' is not part of the key");
            }
        }
        if (!pattern_.by.empty() || pattern_.range || pattern_.prefix || !pattern_.merge.empty()) {
            error(
                "P03", "get needs neither by, range, prefix nor merge: the key says what is given"
            );
        }
    }

    void check_query() {
        const auto& schema = model_.key_of(pattern_);
        const auto& first = *pattern_.entities.front();
        for (const auto* entity : pattern_.entities) {
            if (!entity->in_index(schema)) {
                error("P03", entity->name + " is not in index " + pattern_.index);
                return;
            }
        }
        const auto& partition = first.find_key(schema.partition.name)->key_template;
        check_partition(partition);
        if (schema.sort) {
            check_sort(partition, first.find_key(schema.sort->name)->key_template);
        }
        check_neighbours(schema);
    }

    void check_partition(const KeyTemplate& partition) {
        for (const auto* variable : partition.variables()) {
            if (!is_given(variable->name) && !lists(pattern_.merge, variable->name)) {
                error(
                    "P03",
                    "the partition '" + partition.text() + "' needs '" + variable->name + "'",
                    "put it into by, fixed or merge"
                );
            }
        }
        for (const auto& merged : pattern_.merge) {
            const auto* variable = partition.find_variable(merged.name);
            const auto* attribute = pattern_.entities.front()->find_attribute(merged.name);
            if (variable == nullptr) {
                error("P03", "merge '" + merged.name + "' is not part of the partition");
                continue;
            }
            const bool dated = std::holds_alternative<DateFormat>(variable->format) &&
                               pattern_.range && pattern_.range->name == merged.name;
            const bool finite =
                merged.name == "shard" || dated ||
                (attribute != nullptr && (attribute->type == AttributeType::kEnum ||
                                          attribute->type == AttributeType::kBoolean));
            if (!finite) {
                error(
                    "P03",
                    "merge over '" + merged.name + "', which has no end of values",
                    "an enum, a boolean, the days of a range, or shard"
                );
            }
        }
    }

    void check_sort(const KeyTemplate& partition, const KeyTemplate& sort) {
        std::vector<std::string> given;
        for (const auto& one : pattern_.by) {
            given.push_back(one.name);
        }
        for (const auto& one : pattern_.fixed) {
            given.push_back(one.attribute);
        }
        const auto variables = sort.variables();
        std::size_t next = 0;
        while (next < variables.size() &&
               (std::find(given.begin(), given.end(), variables[next]->name) != given.end())) {
            ++next;
        }
        for (const auto& name : given) {
            const bool in_sort = std::any_of(
                variables.begin(),
                variables.begin() + static_cast<std::ptrdiff_t>(next),
                [&](const auto* variable) { return variable->name == name; }
            );
            if (!in_sort && partition.find_variable(name) == nullptr) {
                error("P03", "'" + name + "' cannot be a key condition on '" + sort.text() + "'");
            }
        }
        for (const auto* part : {&pattern_.range, &pattern_.prefix}) {
            if (*part && (next >= variables.size() || variables[next]->name != (*part)->name)) {
                error(
                    "P03",
                    "'" + (*part)->name + "' is not the next variable of '" + sort.text() + "'",
                    next < variables.size() ? "that is '" + variables[next]->name + "'" : ""
                );
                return;
            }
        }
        if (pattern_.range) {
            check_range();
        }
    }

    // K16: order of the key is order of the values.
    void check_range() {
        for (const auto* entity : pattern_.entities) {
            const auto* attribute = entity->find_attribute(pattern_.range->name);
            if (attribute != nullptr && attribute->type == AttributeType::kString &&
                !attribute->regex && !attribute->is) {
                diagnostics_.error(
                    "K16",
                    pattern_.range->position,
                    "pattern " + pattern_.name + ": a range over the free text '" +
                        attribute->name + "': a blank, ! and \" sort before #",
                    "give it a pattern"
                );
            }
            const auto* first = pattern_.entities.front()->find_attribute(pattern_.range->name);
            if (attribute != nullptr && first != nullptr &&
                attribute->type == AttributeType::kTimestamp &&
                attribute->whole_seconds != first->whole_seconds) {
                error(
                    "K17",
                    "'" + attribute->name + "' has two precisions, which do not sort together"
                );
            }
        }
    }

    // Several entities in one query.
    void check_neighbours(const KeySchema& schema) {
        const auto& first = *pattern_.entities.front();
        const auto shape = shape_of(first.find_key(schema.partition.name)->key_template);
        for (const auto* entity : pattern_.entities) {
            const auto& other = entity->find_key(schema.partition.name)->key_template;
            if (shape_of(other) != shape) {
                error(
                    "P03",
                    entity->name + " has another partition than " + first.name + ": '" +
                        other.text() + "'"
                );
            }
        }
        if (!schema.sort || pattern_.entities.size() < 2 ||
            pattern_.order == Pattern::Order::kDescending) {
            return;
        }
        for (const auto* head : pattern_.entities) {
            const auto& key = head->find_key(schema.sort->name)->key_template;
            if (!key.is_constant()) {
                continue;
            }
            for (const auto* other : pattern_.entities) {
                const auto start = beginning(other->find_key(schema.sort->name)->key_template);
                if (other != head && start < key.text()) {
                    warning(
                        "P04",
                        head->name + " ('" + key.text() + "') comes after " + other->name + " ('" +
                            start + "..') when read ascending",
                        "order: desc"
                    );
                }
            }
        }
    }

    bool projects(const Entity& entity, const std::string& name) const {
        const auto& index = *pattern_.table_index;
        const auto& listed = index.projected;
        if (index.projection == Index::Projection::kAll ||
            std::find(listed.begin(), listed.end(), name) != listed.end() ||
            model_.table.is_primary_key(name) || index.key.partition.name == name ||
            (index.key.sort && index.key.sort->name == name)) {
            return true;
        }
        // Keys are always there, and with them what they are made of.
        for (const auto* schema : {&model_.table.key, &index.key}) {
            const auto variables = key_variables(entity, *schema);
            for (const auto& variable : variables) {
                const auto& keys = entity.keys;
                const bool whole = std::any_of(keys.begin(), keys.end(), [&](const KeyRule& rule) {
                    const auto* found = rule.key_template.find_variable(name);
                    return found != nullptr && !std::holds_alternative<DateFormat>(found->format) &&
                           (rule.attribute == schema->partition.name ||
                            (schema->sort && rule.attribute == schema->sort->name));
                });
                if (variable == name && whole) {
                    return true;
                }
            }
        }
        return false;
    }

    // I02, V02: what an index does not hold.
    void check_projection() {
        if (pattern_.table_index == nullptr || pattern_.load ||
            pattern_.table_index->projection == Index::Projection::kAll) {
            return;
        }
        for (const auto* entity : pattern_.entities) {
            Names needed;
            for (const auto& one : pattern_.returns) {
                needed.insert(one.name);
            }
            if (pattern_.returns.empty() && !pattern_.count) {
                for (const auto& attribute : entity->attributes) {
                    if (attribute.stored) {
                        needed.insert(attribute.name);
                    }
                }
            }
            report_missing("I02", *entity, needed, "returns");
            Names filtered;
            for (const auto* filter : {&entity->visible, &pattern_.only}) {
                if (*filter && !(filter == &entity->visible && pattern_.unfiltered)) {
                    for (auto& name : attributes_read(**filter, *entity)) {
                        filtered.insert(std::move(name));
                    }
                }
            }
            report_missing("V02", *entity, filtered, "filters by");
        }
    }

    void report_missing(
        std::string_view id, const Entity& entity, const Names& names, const std::string& verb
    ) {
        std::string missing;
        for (const auto& name : names) {
            const auto* attribute = entity.find_attribute(name);
            if (attribute != nullptr && !(attribute->is && !attribute->stored) &&
                !projects(entity, name)) {
                missing += (missing.empty() ? "" : ", ") + name;
            }
        }
        if (!missing.empty()) {
            error(
                id,
                "it " + verb + " " + missing + ", which index " + pattern_.index +
                    " does not project",
                "load: " + entity.name
            );
        }
    }

    // O08, P01
    void check_filter() {
        for (const auto* entity : pattern_.entities) {
            for (const auto* filter : {&entity->visible, &pattern_.only}) {
                if (pattern_.count && *filter &&
                    !(filter == &entity->visible && pattern_.unfiltered)) {
                    const auto compiled = Condition::compile(**filter, *entity, model_.table);
                    if (!compiled) {
                        error(
                            "O08",
                            "'" + (*filter)->text +
                                "' must run in DynamoDB to be counted: " + compiled.error().message
                        );
                    }
                }
            }
        }
        if (!pattern_.only) {
            return;
        }
        walk(pattern_.only->root, [&](const Expr& expr) {
            const auto* compare = std::get_if<BinaryNode>(&expr.node);
            if (compare == nullptr || compare->op != BinaryOp::kEqual) {
                return;
            }
            const auto* attribute = compare->left->type.attribute;
            if (std::holds_alternative<NameNode>(compare->left->node) && attribute != nullptr &&
                attribute->type == AttributeType::kEnum) {
                warning(
                    "P01",
                    "items that are not '" + pattern_.only->text + "' are read and thrown away",
                    "make '" + attribute->name + "' part of a key"
                );
            }
        });
    }

    const Model& model_;
    const Pattern& pattern_;
    Diagnostics& diagnostics_;
};

}  // namespace

void check_patterns(const Model& model, Diagnostics& diagnostics) {
    for (const auto& pattern : model.patterns) {
        PatternChecks(model, pattern, diagnostics).run();
    }
}

}  // namespace gateleg::model

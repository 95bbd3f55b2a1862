#include <algorithm>

#include "model/check.h"
#include "model/check_rules.h"
#include "model/condition.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

constexpr int kMaxActions = 100;

// Attributes a step's conditions speak of.
Names conditioned(const Step& step, const Entity& entity) {
    Names names;
    for (const auto& rule : step.conditions) {
        for (auto& name : attributes_read(rule.condition, entity)) {
            names.insert(std::move(name));
        }
    }
    return names;
}

bool is_decrease(const Expr& expr) {
    if (const auto* unary = std::get_if<UnaryNode>(&expr.node)) {
        return unary->op == UnaryOp::kNegate;
    }
    const auto* literal = std::get_if<LiteralNode>(&expr.node);
    const auto* number =
        literal != nullptr ? std::get_if<value::Number>(&literal->value.data) : nullptr;
    return number != nullptr && number->is_negative();
}

bool mentions(const ExprPtr& root, std::string_view variable) {
    bool found = false;
    walk(root, [&](const Expr& expr) {
        const auto* one = std::get_if<VariableNode>(&expr.node);
        found |= one != nullptr && one->name == variable;
    });
    return found;
}

std::vector<const Expression*> values_of(const Step& step) {
    std::vector<const Expression*> values;
    for (const auto* assignments : {&step.set, &step.add, &step.append}) {
        for (const auto& one : *assignments) {
            values.push_back(&one.value);
        }
    }
    if (step.when) {
        values.push_back(&*step.when);
    }
    if (step.spread) {
        values.push_back(&*step.spread);
    }
    return values;
}

class OperationChecks {
public:
    OperationChecks(const Model& model, const Operation& operation, Diagnostics& diagnostics)
        : model_(model), operation_(operation), diagnostics_(diagnostics) {}

    void run() {
        for (const auto& step : operation_.writes) {
            check_loop(step);
            check_row_entity(step);
            check_conditions(step);
            check_decrease(step);
            check_skip(step);
            check_reads_needed(step);
        }
        check_loose();
        check_same_item();
        const int actions = worst_case_actions(model_, operation_);
        if (actions > kMaxActions) {
            error(
                "O01",
                operation_.position,
                "one call can take " + std::to_string(actions) + " actions; a transaction has 100"
            );
        }
    }

private:
    void error(
        std::string_view id, Position at, const std::string& message, const std::string& hint = {}
    ) {
        diagnostics_.error(id, at, "operation " + operation_.name + ": " + message, hint);
    }
    void warning(
        std::string_view id, Position at, const std::string& message, const std::string& hint = {}
    ) {
        diagnostics_.warning(id, at, "operation " + operation_.name + ": " + message, hint);
    }

    void check_loop(const Step& step) {
        if (step.loop && !list_bound(step.loop->list.root)) {
            error("R02", step.loop->position, "the list '" + step.loop->list.text + "' has no max");
        }
    }

    // R01
    void check_row_entity(const Step& step) {
        for (const auto* entity : step.target.entities) {
            if (!entity->owners.empty() && step.verb != Verb::kCheck) {
                error(
                    "R01",
                    step.position,
                    entity->name + " is a row of " + entity->owners.front()->name +
                        " and written by it alone"
                );
            }
        }
    }

    // O03, O08
    void check_conditions(const Step& step) {
        for (const auto& rule : step.conditions) {
            for (const auto* entity : step.target.entities) {
                const auto compiled = Condition::compile(rule.condition, *entity, model_.table);
                if (!compiled) {
                    error(
                        "O08",
                        rule.condition.position,
                        "'" + rule.condition.text + "': " + compiled.error().message
                    );
                    break;
                }
            }
        }
        if (step.verb == Verb::kPut && !step.conditions.empty() && !step.says_existence) {
            warning(
                "O03",
                step.position,
                "the put has conditions and none says absent: it can replace an item"
            );
        }
    }

    // O06
    void check_decrease(const Step& step) {
        for (const auto& one : step.add) {
            if (!is_decrease(*one.value.root)) {
                continue;
            }
            for (const auto* entity : step.target.entities) {
                const auto* attribute = entity->find_attribute(one.attribute);
                const bool money = attribute != nullptr && is_numeric(attribute->type) &&
                                   attribute->min && attribute->min->is_zero();
                if (money && !conditioned(step, *entity).contains(one.attribute)) {
                    warning(
                        "O06",
                        one.position,
                        "'" + one.attribute + "' is decreased without a condition on it",
                        "if: { .. : \"" + one.attribute + " >= ..\" }"
                    );
                    break;
                }
            }
        }
    }

    // O05
    void check_skip(const Step& step) {
        const bool skips =
            std::any_of(step.conditions.begin(), step.conditions.end(), [](const auto& rule) {
                return rule.outcome.kind == Outcome::Kind::kSkip;
            });
        if (!skips || step.as.empty()) {
            return;
        }
        for (const auto& other : operation_.writes) {
            for (const auto* value : values_of(other)) {
                if (&other != &step && mentions(value->root, step.as)) {
                    error(
                        "O05",
                        step.position,
                        "this step may be skipped, and the " + std::string(verb_name(other.verb)) +
                            " of " + other.target.text + " needs $" + step.as
                    );
                }
            }
        }
    }

    // K10: which updates cost a read.
    void check_reads_needed(const Step& step) {
        if (step.verb != Verb::kUpdate && step.verb != Verb::kUpsert) {
            return;
        }
        for (const auto* entity : step.target.entities) {
            const auto touched = written(step, operation_, *entity);
            Names known = touched;
            for (const auto& name : key_variables(*entity, model_.table.key)) {
                known.insert(name);
            }
            for (const auto& rule : entity->keys) {
                const auto sources = key_sources(rule, *entity);
                const bool changes =
                    std::any_of(touched.begin(), touched.end(), [&](const auto& name) {
                        return sources.contains(name);
                    });
                const bool complete =
                    std::all_of(sources.begin(), sources.end(), [&](const auto& name) {
                        const auto* attribute = entity->find_attribute(name);
                        return known.contains(name) ||
                               (attribute != nullptr && attribute->is.has_value());
                    });
                if (changes && !complete && !rule.plain &&
                    step.target.kind != ItemReference::Kind::kRead) {
                    diagnostics_.info(
                        "K10",
                        step.position,
                        "operation " + operation_.name +
                            ": the update must read the item first, for its key '" +
                            rule.attribute + "'"
                    );
                }
            }
        }
    }

    // O04
    void check_loose() {
        for (const auto& read : operation_.reads) {
            if (!read.loose) {
                continue;
            }
            Names used;
            for (const auto& step : operation_.writes) {
                for (const auto* assignments : {&step.set, &step.add, &step.append}) {
                    for (const auto& one : *assignments) {
                        collect(one.value.root, read.name, used);
                    }
                }
            }
            for (const auto& step : operation_.writes) {
                for (const auto* entity : step.target.entities) {
                    if (step.target.text == "$" + read.name) {
                        for (const auto& name : conditioned(step, *entity)) {
                            used.erase(name);
                        }
                    }
                }
            }
            for (const auto& name : used) {
                warning(
                    "O04",
                    read.position,
                    "$" + read.name + "." + name +
                        " is written from a loose read, and no condition mentions it"
                );
            }
        }
    }

    // Members of $read that an expression uses, through let.
    void collect(const ExprPtr& root, const std::string& read, Names& used) {
        walk(root, [&](const Expr& expr) {
            if (const auto* member = std::get_if<MemberNode>(&expr.node)) {
                const auto* variable = std::get_if<VariableNode>(&member->object->node);
                if (variable != nullptr && variable->name == read) {
                    used.insert(member->name);
                }
            }
            if (const auto* variable = std::get_if<VariableNode>(&expr.node)) {
                for (const auto& let : operation_.lets) {
                    // A let sees only those before it, so this ends.
                    if (let.name == variable->name && let.value.root != root) {
                        collect(let.value.root, read, used);
                    }
                }
            }
        });
    }

    // O02
    void check_same_item() {
        const auto& steps = operation_.writes;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            for (std::size_t j = i + 1; j < steps.size(); ++j) {
                const auto& a = steps[i];
                const auto& b = steps[j];
                if (a.verb == Verb::kPut || b.verb == Verb::kPut || a.when || b.when || a.loop ||
                    b.loop || item_text(a.target) != item_text(b.target)) {
                    continue;
                }
                const bool mergeable = (a.verb == b.verb && a.verb != Verb::kDelete) ||
                                       a.verb == Verb::kCheck || b.verb == Verb::kCheck;
                std::string clash;
                for (const auto* entity : a.target.entities) {
                    for (const auto& name : written(a, operation_, *entity)) {
                        if (written(b, operation_, *entity).contains(name)) {
                            clash = name;
                        }
                    }
                }
                if (!mergeable || !clash.empty()) {
                    error(
                        "O02",
                        b.position,
                        "two steps write " + b.target.text +
                            (clash.empty() ? "" : ", both set '" + clash + "'"),
                        "DynamoDB takes an item once in a transaction: join them"
                    );
                }
            }
        }
    }

    // $read and what it was read by name the same item.
    std::string item_text(const ItemReference& item) const {
        if (item.kind == ItemReference::Kind::kRead) {
            if (const auto* read = operation_.find_read(item.name)) {
                return read->item.text;
            }
        }
        return item.text;
    }

    const Model& model_;
    const Operation& operation_;
    Diagnostics& diagnostics_;
};

// Two conditions that exclude each other: x and not x, a = v and a <> v, a = v and a = w.
bool exclude(const ExprPtr& left, const ExprPtr& right);

bool same_attribute(const ExprPtr& left, const ExprPtr& right) {
    const auto* a = std::get_if<NameNode>(&left->node);
    const auto* b = std::get_if<NameNode>(&right->node);
    return a != nullptr && b != nullptr && a->name == b->name;
}

std::string constant_text(const ExprPtr& expr) {
    if (const auto* name = std::get_if<NameNode>(&expr->node);
        name != nullptr && name->meaning == NameNode::Meaning::kEnumValue) {
        return name->name;
    }
    if (const auto* literal = std::get_if<LiteralNode>(&expr->node)) {
        if (const auto* text = std::get_if<std::string>(&literal->value.data)) {
            return *text;
        }
    }
    return {};
}

bool exclude(const ExprPtr& left, const ExprPtr& right) {
    for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
        if (const auto* binary = std::get_if<BinaryNode>(&one->node);
            binary != nullptr && binary->op == BinaryOp::kAnd) {
            return exclude(binary->left, other) || exclude(binary->right, other);
        }
    }
    for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
        const auto* negation = std::get_if<UnaryNode>(&one->node);
        if (negation != nullptr && negation->op == UnaryOp::kNot &&
            same_attribute(negation->operand, other)) {
            return true;
        }
    }
    const auto* a = std::get_if<BinaryNode>(&left->node);
    const auto* b = std::get_if<BinaryNode>(&right->node);
    if (a == nullptr || b == nullptr || !same_attribute(a->left, b->left)) {
        return false;
    }
    const auto x = constant_text(a->right);
    const auto y = constant_text(b->right);
    if (x.empty() || y.empty()) {
        return false;
    }
    const bool equal_a = a->op == BinaryOp::kEqual;
    const bool equal_b = b->op == BinaryOp::kEqual;
    const bool unequal = a->op == BinaryOp::kNotEqual || b->op == BinaryOp::kNotEqual;
    return (equal_a && equal_b && x != y) || (unequal && equal_a != equal_b && x == y);
}

const Assignment* find_assignment(const Step& row, std::string_view attribute) {
    for (const auto& one : row.set) {
        if (one.attribute == attribute) {
            return &one;
        }
    }
    return nullptr;
}

// R04: rows that could stand at one key.
bool rows_apart(const Step& a, const Step& b, const std::vector<std::string>& key) {
    for (const auto& variable : key) {
        const auto* left = find_assignment(a, variable);
        const auto* right = find_assignment(b, variable);
        if (left != nullptr && right != nullptr) {
            const auto x = constant_text(left->value.root);
            const auto y = constant_text(right->value.root);
            if (!x.empty() && !y.empty() && x != y) {
                return true;
            }
        }
    }
    return a.when && b.when && exclude(a.when->root, b.when->root);
}

void check_row(const Model& model, const Entity& owner, const Step& row, Diagnostics& diagnostics) {
    const auto where = "rows of " + owner.name + ": ";
    if (row.target.entities.empty()) {
        return;
    }
    const auto& target = *row.target.entities.front();
    if (row.loop && !list_bound(row.loop->list.root)) {
        diagnostics.error(
            "R02", row.loop->position, where + "the list '" + row.loop->list.text + "' has no max"
        );
    }
    const auto& ttl = model.table.ttl;
    if (!ttl.empty() && owner.find_attribute(ttl) != nullptr && !row.names(ttl)) {
        diagnostics.error(
            "R03",
            row.position,
            where + "the owner expires by '" + ttl + "' and " + target.name + " does not",
            "copy: [" + ttl + "]"
        );
    }
    for (const auto& one : row.copy) {
        const auto* from = owner.find_attribute(one.name);
        const auto* to = target.find_attribute(one.name);
        if (from != nullptr && to != nullptr && from->type == AttributeType::kTimestamp &&
            to->type == AttributeType::kTimestamp && from->whole_seconds != to->whole_seconds) {
            diagnostics.error("K17", one.position, where + "'" + one.name + "' has two precisions");
        }
    }
    for (const auto& name : key_variables(target, model.table.key)) {
        const auto* attribute = target.find_attribute(name);
        if (attribute != nullptr && !attribute->is && !attribute->default_value &&
            !row.names(name)) {
            diagnostics.error(
                "R04", row.position, where + "the key of " + target.name + " needs '" + name + "'"
            );
        }
    }
}

}  // namespace

void check_rows(const Model& model, Diagnostics& diagnostics) {
    for (const auto& owner : model.entities) {
        for (std::size_t i = 0; i < owner.rows.size(); ++i) {
            check_row(model, owner, owner.rows[i], diagnostics);
            for (std::size_t j = i + 1; j < owner.rows.size(); ++j) {
                const auto& a = owner.rows[i];
                const auto& b = owner.rows[j];
                if (a.target.entities != b.target.entities || a.target.entities.empty()) {
                    continue;
                }
                if (!rows_apart(a, b, key_variables(*a.target.entities.front(), model.table.key))) {
                    diagnostics.error(
                        "R04",
                        b.position,
                        "rows of " + owner.name + ": two rows of " + b.target.name +
                            " can have one key",
                        "a literal of its own in the key, or `when` conditions that exclude each "
                        "other"
                    );
                }
            }
        }
    }
}

void check_operations(const Model& model, Diagnostics& diagnostics) {
    for (const auto& operation : model.operations) {
        OperationChecks(model, operation, diagnostics).run();
    }
}

// J01: a job may meet an item twice, so its operation must not count twice.
void check_jobs(const Model& model, Diagnostics& diagnostics) {
    for (const auto& job : model.jobs) {
        if (job.operation == nullptr) {
            continue;
        }
        const auto& operation = *job.operation;
        if (operation.native) {
            continue;  // only its C++ knows
        }
        const auto harmless = [](const OutcomeRule& rule) {
            return rule.outcome.kind == Outcome::Kind::kUnchanged ||
                   rule.outcome.kind == Outcome::Kind::kSkip;
        };
        bool repeatable = std::any_of(operation.require.begin(), operation.require.end(), harmless);
        for (const auto& step : operation.writes) {
            repeatable |= std::any_of(step.conditions.begin(), step.conditions.end(), harmless);
            for (const auto* entity : step.target.entities) {
                // A condition on what the step itself changes: the second time it fails.
                for (const auto& name : conditioned(step, *entity)) {
                    repeatable |= step.names(name);
                }
            }
        }
        if (!repeatable) {
            diagnostics.error(
                "J01",
                job.position,
                "job " + job.name + ": " + operation.name +
                    " does its work again when it is called again",
                "give it an `unchanged` or `skip` condition"
            );
        }
    }
}

}  // namespace gateleg::model

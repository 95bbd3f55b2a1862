#include "model/check.h"

#include <algorithm>

#include "model/check_rules.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

// Rows an item adds to a transaction when the step writes it.
int row_actions(const Operation& operation, const Step& step, const Entity& target) {
    int actions = 0;
    const auto touched = written(step, operation, target);
    for (const auto& row : target.rows) {
        const auto sources = row_sources(row, target);
        const bool always = step.verb == Verb::kPut || step.verb == Verb::kDelete;
        const bool hit = always || step.spread ||
                         std::any_of(sources.begin(), sources.end(), [&](const auto& name) {
                             return touched.contains(name);
                         });
        if (!hit || step.verb == Verb::kCheck) {
            continue;
        }
        int rows = 1;
        bool list_changes = true;
        if (row.loop) {
            rows = list_bound(row.loop->list.root).value_or(1);
            if (const auto* list = std::get_if<NameNode>(&row.loop->list.root->node)) {
                list_changes = touched.contains(list->name);
                for (const auto& one : step.set) {
                    const auto bound =
                        one.attribute == list->name ? list_bound(one.value.root) : std::nullopt;
                    rows = bound ? std::min(rows, *bound) : rows;
                }
            }
        }
        // A changed key is a delete and a put.
        actions += always || !list_changes ? rows : 2 * rows;
    }
    return actions;
}

bool uses_read(const Operation& operation, const Step& step, const std::string& read) {
    bool found = false;
    Names seen;
    const auto look = [&](const auto& self, const ExprPtr& root) -> void {
        walk(root, [&](const Expr& expr) {
            const auto* variable = std::get_if<VariableNode>(&expr.node);
            if (variable == nullptr) {
                return;
            }
            found |= variable->name == read;
            for (const auto& let : operation.lets) {
                if (let.name == variable->name && seen.insert(let.name).second) {
                    self(self, let.value.root);
                }
            }
        });
    };
    for (const auto* assignments : {&step.set, &step.add, &step.append}) {
        for (const auto& one : *assignments) {
            look(look, one.value.root);
        }
    }
    for (const auto& argument : step.target.arguments) {
        look(look, argument.value);
    }
    return found;
}

// A read that a write used and that no step writes is pinned by a check of its own.
int pin_actions(const Operation& operation) {
    int actions = 0;
    for (const auto& read : operation.reads) {
        const auto& steps = operation.writes;
        const bool written_too = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
            return step.target.text == "$" + read.name || step.target.text == read.item.text;
        });
        const bool used = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
            return uses_read(operation, step, read.name);
        });
        actions += !read.loose && used && !written_too ? 1 : 0;
    }
    return actions;
}

}  // namespace

std::optional<int> to_int(const std::optional<value::Number>& number) {
    if (!number || number->is_negative() || number->exponent() < 0 || number->exponent() > 5 ||
        number->coefficient() > 1'000'000) {
        return std::nullopt;
    }
    return std::stoi(number->to_text());
}

std::optional<int> list_bound(const ExprPtr& list) {
    if (const auto* literal = std::get_if<ListNode>(&list->node)) {
        return static_cast<int>(literal->elements.size());
    }
    if (const auto* binary = std::get_if<BinaryNode>(&list->node);
        binary != nullptr && binary->op == BinaryOp::kCoalesce) {
        const auto left = list_bound(binary->left);
        const auto right = list_bound(binary->right);
        return left && right ? std::optional(std::max(*left, *right)) : std::nullopt;
    }
    if (const auto* choice = std::get_if<ConditionalNode>(&list->node)) {
        const auto yes = list_bound(choice->yes);
        const auto no = list_bound(choice->no);
        return yes && no ? std::optional(std::max(*yes, *no)) : std::nullopt;
    }
    return list->type.attribute != nullptr ? to_int(list->type.attribute->max) : std::nullopt;
}

Names with_sources(const Names& attributes, const Entity& entity) {
    Names all = attributes;
    for (const auto& name : attributes) {
        const auto* attribute = entity.find_attribute(name);
        if (attribute != nullptr && attribute->is) {
            for (auto& source : attributes_read(*attribute->is, entity)) {
                all.insert(std::move(source));
            }
        }
    }
    return all;
}

Names key_sources(const KeyRule& rule, const Entity& entity) {
    Names names;
    for (const auto* variable : rule.key_template.variables()) {
        if (variable->name == "shard" && entity.shard) {
            names.insert({entity.shard->by, entity.shard->at});
        } else {
            names.insert(variable->name);
        }
    }
    if (rule.when) {
        for (auto& name : attributes_read(*rule.when, entity)) {
            names.insert(std::move(name));
        }
    }
    return with_sources(names, entity);
}

Names row_sources(const Step& row, const Entity& owner) {
    Names names;
    const auto add = [&](const Expression& expression) {
        for (auto& name : attributes_read(expression, owner)) {
            names.insert(std::move(name));
        }
    };
    if (row.loop) {
        add(row.loop->list);
    }
    if (row.when) {
        add(*row.when);
    }
    for (const auto& one : row.set) {
        add(one.value);
    }
    for (const auto& one : row.copy) {
        names.insert(one.name);
    }
    return with_sources(names, owner);
}

Names written(const Step& step, const Operation& operation, const Entity& target) {
    Names names;
    for (const auto* assignments : {&step.set, &step.add, &step.append}) {
        for (const auto& one : *assignments) {
            names.insert(one.attribute);
        }
    }
    for (const auto& one : step.copy) {
        names.insert(one.name);
    }
    if (step.set_input) {
        for (const auto& input : operation.inputs) {
            if (target.find_attribute(input.attribute.name) != nullptr) {
                names.insert(input.attribute.name);
            }
        }
    }
    return names;
}

int worst_case_actions(const Model& /*model*/, const Operation& operation) {
    const bool posts =
        std::any_of(operation.routes.begin(), operation.routes.end(), [](const Route& route) {
            return route.method == "POST";
        });
    int actions = posts || operation.idempotency_required ? 1 : 0;
    for (const auto& step : operation.writes) {
        int each = 1;
        for (const auto* target : step.target.entities) {
            each = std::max(each, 1 + row_actions(operation, step, *target));
        }
        const int times = step.loop ? list_bound(step.loop->list.root).value_or(1) : 1;
        actions += times * each;
    }
    return actions + pin_actions(operation);
}

void check_model(const Model& model, Diagnostics& diagnostics) {
    check_table(model, diagnostics);
    check_attributes(model, diagnostics);
    check_keys(model, diagnostics);
    check_shared_keys(model, diagnostics);
    check_rows(model, diagnostics);
    check_patterns(model, diagnostics);
    check_operations(model, diagnostics);
    check_jobs(model, diagnostics);
}

}  // namespace gateleg::model

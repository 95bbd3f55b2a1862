#include "model/read_uses.h"

#include "model/entity_keys.h"

namespace gateleg::model {
namespace {

template <class Visit>
void each_expression(const ItemReference& item, const Visit& visit) {
    for (const auto& argument : item.arguments) {
        visit(argument.value);
    }
    if (item.selector) {
        visit(item.selector);
    }
    for (const auto& [label, inner] : item.cases) {
        each_expression(inner, visit);
    }
}

template <class Visit>
void each_expression(const Step& step, const Visit& visit) {
    each_expression(step.target, visit);
    if (step.loop) {
        visit(step.loop->list.root);
    }
    if (step.when) {
        visit(step.when->root);
    }
    for (const auto& rule : step.conditions) {
        visit(rule.condition.root);
    }
    for (const auto* assignments : {&step.set, &step.add, &step.append}) {
        for (const auto& one : *assignments) {
            visit(one.value.root);
        }
    }
    if (step.spread) {
        visit(step.spread->root);
    }
}

class Collector {
public:
    explicit Collector(const Operation& operation) : operation_(operation) {}

    void add(const ExprPtr& expr) {
        if (!expr) {
            return;
        }
        if (const auto* member = std::get_if<MemberNode>(&expr->node)) {
            const auto* variable = std::get_if<VariableNode>(&member->object->node);
            const auto* read = variable != nullptr ? operation_.find_read(variable->name) : nullptr;
            if (read != nullptr) {
                add_attribute(*read, member->name);
                return;
            }
        }
        if (const auto* variable = std::get_if<VariableNode>(&expr->node)) {
            if (operation_.find_read(variable->name) != nullptr) {
                uses[variable->name].existence = true;
            }
        }
        for (const auto& child : children(*expr)) {
            add(child);
        }
    }

    ReadUses uses;

private:
    void add_attribute(const Read& read, const std::string& name) {
        auto& use = uses[read.name];
        use.existence = true;
        for (const auto* entity : read.item.entities) {
            const auto* attribute = entity->find_attribute(name);
            if (attribute != nullptr && attribute->is) {
                use.attributes.merge(needs_of(attribute->is->root, *entity));
            } else {
                use.attributes.insert(name);
            }
        }
    }

    const Operation& operation_;
};

}  // namespace

ReadUses find_read_uses(const Operation& operation) {
    Collector collector(operation);
    const auto add = [&](const ExprPtr& expr) { collector.add(expr); };
    for (const auto& read : operation.reads) {
        each_expression(read.item, add);
    }
    for (const auto& let : operation.lets) {
        add(let.value.root);
    }
    for (const auto& rule : operation.require) {
        add(rule.condition.root);
    }
    for (const auto& step : operation.writes) {
        each_expression(step, add);
    }
    return std::move(collector.uses);
}

std::set<std::string, std::less<>> variables_of(const ExprPtr& expr) {
    std::set<std::string, std::less<>> names;
    walk(expr, [&](const Expr& part) {
        if (const auto* variable = std::get_if<VariableNode>(&part.node)) {
            names.insert(variable->name);
        }
    });
    return names;
}

std::set<std::string, std::less<>> variables_of(const Step& step) {
    std::set<std::string, std::less<>> names;
    each_expression(step, [&](const ExprPtr& expr) { names.merge(variables_of(expr)); });
    for (const auto& one : step.copy) {
        names.insert(one.name);
    }
    return names;
}

}  // namespace gateleg::model

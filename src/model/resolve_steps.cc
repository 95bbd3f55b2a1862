// What steps set and which items they mean.

#include <algorithm>
#include <map>

#include "model/model_resolver.h"

namespace gateleg::model {

void ModelResolver::add_loop(Loop& loop, Scope& scope) {
    const auto list = resolve(loop.list, scope, {}, diagnostics_);
    Type element;
    if (list.attribute != nullptr && list.attribute->of) {
        element = type_of(*list.attribute->of);
    } else if (list.kind != ValueKind::kAny && list.kind != ValueKind::kList && list.kind != ValueKind::kSet) {
        diagnostics_.error("E03", loop.position, scope.where + ": for needs a list");
    }
    scope.variables[loop.variable] = element;
}

const Attribute* ModelResolver::common(
    const std::vector<const Entity*>& entities, std::string_view name
) {
    const Attribute* found = nullptr;
    for (const auto* entity : entities) {
        const auto* attribute = entity->find_attribute(name);
        if (attribute == nullptr) {
            return nullptr;
        }
        found = found == nullptr ? attribute : found;
    }
    return found;
}

void ModelResolver::resolve_assignments(
    std::vector<Assignment>& assignments,
    const Scope& scope,
    const std::vector<const Entity*>& targets
) {
    for (auto& one : assignments) {
        const auto* attribute = common(targets, one.attribute);
        if (attribute == nullptr) {
            if (!targets.empty()) {
                unknown(
                    "attribute",
                    {one.attribute, one.position},
                    scope.where + ", " + targets.front()->name,
                    names_of(targets.front()->attributes)
                );
            }
            resolve(one.value, scope, {}, diagnostics_);
            continue;
        }
        if (attribute->is) {
            diagnostics_.error(
                "E05",
                one.position,
                scope.where + ": '" + one.attribute + "' is derived and cannot be set"
            );
        }
        resolve_value(one.value, scope, *attribute);
    }
}

void ModelResolver::resolve_conditions(Step& step, Scope scope) {
    scope.item = step.target.entities;
    scope.existence = true;
    for (auto& rule : step.conditions) {
        resolve_condition(rule.condition, scope);
        walk(rule.condition.root, [&](const Expr& expr) {
            if (const auto* word = std::get_if<WordNode>(&expr.node)) {
                step.says_existence |= word->word == Word::kExists || word->word == Word::kAbsent;
            }
        });
    }
}

void ModelResolver::resolve_target(
    ItemReference& item,
    const Scope& scope,
    const std::map<std::string, std::vector<const Entity*>>& reads
) {
    switch (item.kind) {
        case ItemReference::Kind::kRead:
            if (const auto found = reads.find(item.name); found != reads.end()) {
                item.entities = found->second;
            } else {
                std::vector<std::string> names;
                for (const auto& [name, entities] : reads) {
                    names.push_back(name);
                }
                unknown("read", {item.name, item.position}, scope.where, names);
            }
            return;
        case ItemReference::Kind::kMatch: {
            const auto selector = resolve(item.selector, scope, {}, diagnostics_);
            for (auto& [label, inner] : item.cases) {
                resolve_target(inner, scope, reads);
                item.entities.insert(
                    item.entities.end(), inner.entities.begin(), inner.entities.end()
                );
                if (selector.attribute != nullptr &&
                    selector.attribute->type == AttributeType::kEnum) {
                    const auto& values = selector.attribute->values;
                    if (std::find(values.begin(), values.end(), label) == values.end()) {
                        diagnostics_.error(
                            "E04",
                            inner.position,
                            scope.where + ": '" + label + "' is no value of '" +
                                selector.attribute->name + "'",
                            did_you_mean(label, values)
                        );
                    }
                }
            }
            return;
        }
        case ItemReference::Kind::kEntity:
        case ItemReference::Kind::kPattern:
            resolve_named(item, scope);
            return;
    }
}

void ModelResolver::resolve_named(ItemReference& item, const Scope& scope) {
    if (const auto* entity = model_.find_entity(item.name)) {
        item.entities = {entity};
        resolve_key_arguments(item, *entity, scope);
        return;
    }
    if (const auto* pattern = model_.find_pattern(item.name)) {
        item.kind = ItemReference::Kind::kPattern;
        item.pattern = pattern;
        item.entities = pattern->returned();
        if (!pattern->one && !pattern->get) {
            diagnostics_.error(
                "M01",
                item.position,
                scope.where + ": pattern '" + item.name + "' gives a list, not one item"
            );
        }
        resolve_pattern_arguments(item.arguments, *pattern, scope, item.position);
        return;
    }
    auto candidates = names_of(model_.entities);
    const auto patterns = names_of(model_.patterns);
    candidates.insert(candidates.end(), patterns.begin(), patterns.end());
    unknown("entity", {item.name, item.position}, scope.where, candidates);
    for (const auto& argument : item.arguments) {
        resolve(argument.value, scope, {}, diagnostics_);
    }
}

void ModelResolver::resolve_key_arguments(
    ItemReference& item, const Entity& entity, const Scope& scope
) {
    const auto variables = key_variables(entity, model_.table.key);
    const bool bare = item.text.find('(') == std::string::npos;
    if (!bare && item.arguments.size() != variables.size()) {
        std::string all;
        for (const auto& variable : variables) {
            all += (all.empty() ? "" : ", ") + variable;
        }
        diagnostics_.error(
            "E05",
            item.position,
            scope.where + ": " + entity.name + " is named by " + std::to_string(variables.size()) +
                " arguments, not " + std::to_string(item.arguments.size()),
            entity.name + "(" + all + ")"
        );
    }
    for (std::size_t at = 0; at < item.arguments.size(); ++at) {
        const auto* attribute =
            at < variables.size() ? entity.find_attribute(variables[at]) : nullptr;
        auto plain = scope;
        plain.item.clear();
        if (attribute != nullptr) {
            resolve(item.arguments[at].value, plain, type_of(*attribute), diagnostics_);
        } else {
            resolve(item.arguments[at].value, plain, {}, diagnostics_);
        }
    }
}

void ModelResolver::resolve_pattern_arguments(
    std::vector<Argument>& arguments, const Pattern& pattern, const Scope& scope, Position at
) {
    std::vector<std::string> parameters;
    if (pattern.get && !pattern.entities.empty()) {
        for (const auto& name : key_variables(*pattern.entities.front(), model_.table.key)) {
            const auto fixed =
                std::any_of(pattern.fixed.begin(), pattern.fixed.end(), [&](const auto& one) {
                    return one.attribute == name;
                });
            if (!fixed) {
                parameters.push_back(name);
            }
        }
    }
    for (const auto& one : pattern.by) {
        parameters.push_back(one.name);
    }
    const auto required = parameters.size();
    if (pattern.range) {
        parameters.insert(parameters.end(), {"from", "to"});
    }
    if (pattern.prefix) {
        parameters.push_back(pattern.prefix->name);
    }
    std::size_t given = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto& argument = arguments[i];
        if (argument.name.empty() && i < parameters.size()) {
            argument.name = parameters[i];
        }
        const auto found = std::find(parameters.begin(), parameters.end(), argument.name);
        if (found == parameters.end()) {
            unknown(
                "parameter",
                {argument.name, argument.value->position},
                scope.where + ", pattern " + pattern.name,
                parameters
            );
        } else if (static_cast<std::size_t>(found - parameters.begin()) < required) {
            ++given;
        }
        auto name = argument.name;
        if ((name == "from" || name == "to") && pattern.range) {
            name = pattern.range->name;
        }
        const auto* attribute =
            pattern.entities.empty() ? nullptr : pattern.entities.front()->find_attribute(name);
        resolve(
            argument.value, scope, attribute != nullptr ? type_of(*attribute) : Type{}, diagnostics_
        );
    }
    if (given < required) {
        diagnostics_.error(
            "E05", at, scope.where + ": pattern '" + pattern.name + "' needs more arguments"
        );
    }
}

void ModelResolver::resolve_step(const Operation& operation, Step& step, Scope scope) {
    if (step.loop) {
        add_loop(*step.loop, scope);
    }
    if (step.when) {
        resolve_condition(*step.when, scope);
    }
    auto with_item = scope;
    if (step.verb != Verb::kPut) {
        with_item.item = step.target.entities;
    }
    for (auto* assignments : {&step.set, &step.add, &step.append}) {
        resolve_assignments(*assignments, with_item, step.target.entities);
    }
    for (const auto& one : step.copy) {
        if (!step.target.entities.empty() && common(step.target.entities, one.name) == nullptr) {
            unknown(
                "attribute",
                one,
                scope.where + ", " + step.target.entities.front()->name,
                names_of(step.target.entities.front()->attributes)
            );
        }
        if (!scope.variables.contains(one.name)) {
            unknown("value", {"$" + one.name, one.position}, scope.where, {});
        }
    }
    if (step.spread) {
        resolve(*step.spread, scope, {}, diagnostics_);
    }
    resolve_conditions(step, scope);
    if (step.verb == Verb::kPut && step.target.kind != ItemReference::Kind::kEntity) {
        diagnostics_.error(
            "E05", step.position, "operation " + operation.name + ": put names an entity"
        );
    }
}

}  // namespace gateleg::model

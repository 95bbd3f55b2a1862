// Patterns, operations and jobs.

#include <algorithm>
#include <map>

#include "model/model_resolver.h"

namespace gateleg::model {

void ModelResolver::resolve_pattern_names(Pattern& pattern) {
    const auto where = "pattern " + pattern.name;
    for (const auto& name : pattern.entity_names) {
        if (const auto* entity = model_.find_entity(name.name)) {
            pattern.entities.push_back(entity);
        } else {
            unknown("entity", name, where, names_of(model_.entities));
        }
    }
    if (!pattern.index.empty()) {
        pattern.table_index = model_.table.find_index(pattern.index);
        if (pattern.table_index == nullptr) {
            unknown(
                "index", {pattern.index, pattern.position}, where, names_of(model_.table.indexes)
            );
        }
    }
    for (auto* named : {&pattern.load, &pattern.within}) {
        if (!*named || pattern.entities.empty()) {
            continue;
        }
        auto scope = empty_scope(where);
        for (const auto& attribute : pattern.entities.front()->attributes) {
            scope.variables[attribute.name] = type_of(attribute);
        }
        resolve_target(**named, scope, {});
    }
}

void ModelResolver::resolve_pattern(Pattern& pattern) {
    const auto where = "pattern " + pattern.name;
    if (pattern.entities.empty()) {
        return;
    }
    const auto& first = *pattern.entities.front();
    const auto check = [&](const Reference& name) {
        if (name.name != "shard" && first.find_attribute(name.name) == nullptr) {
            unknown("attribute", name, where + ", " + first.name, names_of(first.attributes));
        }
    };
    std::for_each(pattern.by.begin(), pattern.by.end(), check);
    std::for_each(pattern.merge.begin(), pattern.merge.end(), check);
    for (const auto* name : {&pattern.range, &pattern.prefix, &pattern.sort, &pattern.distinct}) {
        if (*name) {
            check(**name);
        }
    }
    for (const auto& name : pattern.returns) {
        const auto& shown = pattern.returned();
        if (common(shown, name.name) == nullptr && !shown.empty()) {
            unknown(
                "attribute",
                name,
                where + ", " + shown.front()->name,
                names_of(shown.front()->attributes)
            );
        }
    }
    auto plain = empty_scope(where);
    for (auto& fixed : pattern.fixed) {
        if (const auto* attribute = first.find_attribute(fixed.attribute)) {
            resolve_value(fixed.value, plain, *attribute);
        } else {
            unknown(
                "attribute",
                {fixed.attribute, fixed.position},
                where + ", " + first.name,
                names_of(first.attributes)
            );
        }
    }
    if (pattern.only) {
        auto scope = plain;
        scope.item = pattern.entities;
        resolve_condition(*pattern.only, scope);
    }
}

void ModelResolver::resolve_inputs(std::vector<Input>& inputs, Scope& scope) {
    for (auto& input : inputs) {
        const auto where = scope.where + ", input " + input.attribute.name;
        if (!input.borrowed_from.empty()) {
            borrow(input, where);
        }
        if (input.attribute.is) {
            diagnostics_.error("E05", input.attribute.position, where + " cannot be derived");
        }
        // A borrowed default was resolved with its entity.
        if (input.attribute.default_value && input.borrowed_from.empty()) {
            resolve_value(*input.attribute.default_value, scope, input.attribute);
        }
        scope.variables[input.attribute.name] = type_of(input.attribute);
    }
}

void ModelResolver::borrow(Input& input, const std::string& where) {
    // Entity.attribute? is the attribute for callers who need not give it.
    const bool optional = input.borrowed_from.ends_with('?');
    if (optional) {
        input.borrowed_from.pop_back();
    }
    const auto dot = input.borrowed_from.find('.');
    const auto entity_name = input.borrowed_from.substr(0, dot);
    const auto name = input.borrowed_from.substr(dot + 1);
    const auto at = input.attribute.position;
    const auto* entity = model_.find_entity(entity_name);
    if (entity == nullptr) {
        unknown("entity", {entity_name, at}, where, names_of(model_.entities));
        return;
    }
    input.borrowed = entity->find_attribute(name);
    if (input.borrowed == nullptr) {
        unknown("attribute", {name, at}, where + ", " + entity_name, names_of(entity->attributes));
        return;
    }
    const auto own_name = input.attribute.name;
    input.attribute = *input.borrowed;
    input.attribute.name = own_name;
    input.attribute.position = at;
    // Where the item has a default, the caller need not give a value.
    input.attribute.required =
        input.borrowed->required && !input.borrowed->default_value && !optional;
    input.attribute.is.reset();
    input.attribute.stored = true;
}

void ModelResolver::resolve_operation(Operation& operation) {
    auto scope = empty_scope("operation " + operation.name);
    resolve_inputs(operation.inputs, scope);
    std::map<std::string, std::vector<const Entity*>> reads;
    for (auto& read : operation.reads) {
        resolve_target(read.item, scope, reads);
        reads[read.name] = read.item.entities;
        scope.variables[read.name] = {ValueKind::kItem, nullptr, read.item.entities};
    }
    for (auto& let : operation.lets) {
        scope.variables[let.name] = resolve(let.value, scope, {}, diagnostics_);
    }
    for (auto& rule : operation.require) {
        resolve_condition(rule.condition, scope);
    }
    for (auto& step : operation.writes) {
        auto inner = scope;
        if (step.loop) {
            add_loop(*step.loop, inner);
        }
        resolve_target(step.target, inner, reads);
        if (!step.as.empty()) {
            scope.variables[step.as] = {ValueKind::kItem, nullptr, step.target.entities};
        }
    }
    for (auto& step : operation.writes) {
        resolve_step(operation, step, scope);
    }
    if (operation.returns) {
        resolve(*operation.returns, scope, {}, diagnostics_);
    }
    if (const auto* rest = operation.find_input(operation.rest);
        !operation.rest.empty() &&
        (rest == nullptr || rest->attribute.type != AttributeType::kMap || !rest->attribute.open)) {
        diagnostics_.error(
            "N01", operation.position, scope.where + ": rest names an input that is an open map"
        );
    }
    if (!operation.answer_item.empty() && model_.find_entity(operation.answer_item) == nullptr) {
        unknown(
            "entity",
            {operation.answer_item, operation.position},
            scope.where,
            names_of(model_.entities)
        );
    }
    check_routes(operation.name, operation.routes, operation.inputs);
}

void ModelResolver::check_routes(
    const std::string& name, const std::vector<Route>& routes, const std::vector<Input>& inputs
) {
    for (const auto& route : routes) {
        auto names = route.path_inputs;
        for (const auto& [fixed, value] : route.fixed) {
            names.push_back(fixed);
        }
        for (const auto& one : names) {
            const bool known = std::any_of(inputs.begin(), inputs.end(), [&](const Input& input) {
                return input.attribute.name == one;
            });
            if (!known) {
                diagnostics_.error(
                    "M01", route.position, name + ": the route names no input '" + one + "'"
                );
            }
        }
    }
}

void ModelResolver::resolve_job(Job& job) {
    auto scope = empty_scope("job " + job.name);
    resolve_inputs(job.inputs, scope);
    if (job.loop) {
        add_loop(*job.loop, scope);
    }
    if (job.scan) {
        job.entity = model_.find_entity(job.source.name);
        if (job.entity == nullptr) {
            unknown("entity", job.source, scope.where, names_of(model_.entities));
        }
    } else {
        job.pattern = model_.find_pattern(job.source.name);
        if (job.pattern == nullptr) {
            unknown("pattern", job.source, scope.where, names_of(model_.patterns));
        } else {
            resolve_pattern_arguments(
                job.source_arguments, *job.pattern, scope, job.source.position
            );
            const auto& shown = job.pattern->returned();
            job.entity = shown.empty() ? nullptr : shown.front();
        }
    }
    Type item{ValueKind::kAny};
    if (job.entity != nullptr) {
        item = {ValueKind::kItem, nullptr, {job.entity}};
    }
    scope.variables["it"] = item;
    if (job.when) {
        resolve_condition(*job.when, scope);
    }
    resolve_run(job, scope);
    check_routes(job.name, job.routes, job.inputs);
}

void ModelResolver::resolve_run(Job& job, const Scope& scope) {
    job.operation = model_.find_operation(job.run.name);
    if (job.operation == nullptr) {
        unknown("operation", job.run, scope.where, names_of(model_.operations));
        return;
    }
    const auto& inputs = job.operation->inputs;
    if (job.run_arguments.size() > inputs.size()) {
        diagnostics_.error(
            "E05", job.run.position, scope.where + ": " + job.run.name + " has fewer inputs"
        );
    }
    for (std::size_t at = 0; at < job.run_arguments.size(); ++at) {
        auto& argument = job.run_arguments[at];
        if (argument.name.empty() && at < inputs.size()) {
            argument.name = inputs[at].attribute.name;
        }
        const auto* input = job.operation->find_input(argument.name);
        if (input == nullptr) {
            unknown("input", {argument.name, argument.value->position}, scope.where, {});
        }
        resolve(
            argument.value,
            scope,
            input != nullptr ? type_of(input->attribute) : Type{},
            diagnostics_
        );
    }
    for (const auto& input : inputs) {
        const bool given =
            std::any_of(job.run_arguments.begin(), job.run_arguments.end(), [&](const auto& one) {
                return one.name == input.attribute.name;
            });
        if (input.attribute.required && !given) {
            diagnostics_.error(
                "E05",
                job.run.position,
                scope.where + ": " + job.run.name + " needs '" + input.attribute.name + "'"
            );
        }
    }
}

}  // namespace gateleg::model

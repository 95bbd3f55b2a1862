// The order in which a model is resolved, and what its parts share.

#include <algorithm>
#include <map>

#include "model/model_resolver.h"
#include "model/read_model.h"

namespace gateleg::model {

void ModelResolver::run() {
    for (auto& entity : model_.entities) {
        add_plain_keys(entity);
    }
    collect_enum_values();
    for (auto& entity : model_.entities) {
        resolve_derived(entity);
    }
    for (auto& entity : model_.entities) {
        set_key_types(entity);
    }
    for (auto& pattern : model_.patterns) {
        resolve_pattern_names(pattern);
    }
    for (auto& entity : model_.entities) {
        resolve_entity(entity);
    }
    for (auto& pattern : model_.patterns) {
        resolve_pattern(pattern);
    }
    for (auto& operation : model_.operations) {
        resolve_operation(operation);
    }
    for (auto& job : model_.jobs) {
        resolve_job(job);
    }
}

void ModelResolver::unknown(
    std::string_view what,
    const Reference& name,
    const std::string& where,
    const std::vector<std::string>& candidates
) {
    diagnostics_.error(
        "M01",
        name.position,
        where + ": there is no " + std::string(what) + " '" + name.name + "'",
        did_you_mean(name.name, candidates)
    );
}

void ModelResolver::collect_values(const Attribute& attribute) {
    enum_values_.insert(attribute.values.begin(), attribute.values.end());
    for (const auto& field : attribute.fields) {
        collect_values(field);
    }
    if (attribute.of) {
        collect_values(*attribute.of);
    }
}

void ModelResolver::collect_enum_values() {
    for (const auto& entity : model_.entities) {
        for (const auto& attribute : entity.attributes) {
            collect_values(attribute);
        }
    }
    for (const auto& operation : model_.operations) {
        for (const auto& input : operation.inputs) {
            collect_values(input.attribute);
        }
    }
}

Scope ModelResolver::scope_of(const Entity& entity, std::string where) {
    Scope scope = empty_scope(std::move(where));
    scope.item = {&entity};
    return scope;
}

Scope ModelResolver::empty_scope(std::string where) {
    Scope scope;
    scope.table = &model_.table;
    scope.enum_values = &enum_values_;
    scope.where = std::move(where);
    for (const auto& constant : model_.constants) {
        scope.variables[constant.name] = {};
    }
    return scope;
}

bool ModelResolver::fits(const Type& type, const Attribute& attribute) {
    const auto wanted = type_of(attribute).kind;
    if (type.kind == wanted || type.kind == ValueKind::kAny || type.kind == ValueKind::kNull ||
        wanted == ValueKind::kAny) {
        return true;
    }
    switch (type.kind) {
        case ValueKind::kTime:  // in a number: seconds since 1970
            return wanted == ValueKind::kNumber;
        case ValueKind::kNumber:
            return wanted == ValueKind::kTime && attribute.type != AttributeType::kTimestamp;
        case ValueKind::kList:
            return wanted == ValueKind::kSet;
        case ValueKind::kItem:
            return wanted == ValueKind::kMap;
        default:
            return false;
    }
}

void ModelResolver::check_fits(
    const Type& type, const Attribute& attribute, const Expression& value, const std::string& where
) {
    if (!fits(type, attribute)) {
        diagnostics_.error(
            "E03",
            value.position,
            where + ": '" + value.text + "' is no " +
                std::string(attribute_type_name(attribute.type))
        );
    }
}

void ModelResolver::resolve_value(
    const Expression& value, const Scope& scope, const Attribute& attribute
) {
    const auto type = resolve(value, scope, type_of(attribute), diagnostics_);
    check_fits(type, attribute, value, scope.where + ": " + attribute.name);
}

void ModelResolver::resolve_condition(const Expression& condition, const Scope& scope) {
    const auto type = resolve(condition, scope, boolean_type(), diagnostics_);
    if (type.kind != ValueKind::kBoolean && type.kind != ValueKind::kAny &&
        type.kind != ValueKind::kNull) {
        diagnostics_.error(
            "E03", condition.position, scope.where + ": '" + condition.text + "' is no condition"
        );
    }
}

void resolve_model(Model& model, Diagnostics& diagnostics) {
    ModelResolver(model, diagnostics).run();
}

}  // namespace gateleg::model

// Looks up every name of a model and resolves its expressions. Used by resolve_*.cc only.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/resolve.h"

namespace gateleg::model {

template <class Things>
std::vector<std::string> names_of(const Things& things) {
    std::vector<std::string> names;
    for (const auto& thing : things) {
        names.push_back(thing.name);
    }
    return names;
}

// One thread at a time; the model outlives it.
class ModelResolver {
public:
    ModelResolver(Model& model, Diagnostics& diagnostics)
        : model_(model), diagnostics_(diagnostics) {}

    void run();

private:
    void unknown(
        std::string_view what,
        const Reference& name,
        const std::string& where,
        const std::vector<std::string>& candidates
    );
    void collect_values(const Attribute& attribute);
    void collect_enum_values();
    Scope scope_of(const Entity& entity, std::string where);
    Scope empty_scope(std::string where);
    // True unless a value of that type can never be one of the attribute.
    static bool fits(const Type& type, const Attribute& attribute);
    void check_fits(
        const Type& type,
        const Attribute& attribute,
        const Expression& value,
        const std::string& where
    );
    void resolve_value(const Expression& value, const Scope& scope, const Attribute& attribute);
    void resolve_condition(const Expression& condition, const Scope& scope);

    // --- resolve_entities.cc

    // A key attribute without a template is the attribute of that name.
    void add_plain_keys(Entity& entity);
    // Derived attributes first of all: their types are known only from their expressions, which may
    // use other derived attributes.
    void resolve_derived(Entity& entity);
    void resolve_derived(Entity& entity, Attribute& attribute, std::map<std::string, int>& state);
    void set_key_types(Entity& entity);
    void resolve_entity(Entity& entity);
    void check_names_attribute(
        const Entity& entity, const std::string& name, std::string_view property
    );
    void resolve_row(Entity& owner, Step& row);

    // --- resolve_steps.cc

    void add_loop(Loop& loop, Scope& scope);
    const Attribute* common(const std::vector<const Entity*>& entities, std::string_view name);
    void resolve_assignments(
        std::vector<Assignment>& assignments,
        const Scope& scope,
        const std::vector<const Entity*>& targets
    );
    void resolve_conditions(Step& step, Scope scope);
    // `reads` are the items that $name may stand for.
    void resolve_target(
        ItemReference& item,
        const Scope& scope,
        const std::map<std::string, std::vector<const Entity*>>& reads
    );
    void resolve_named(ItemReference& item, const Scope& scope);
    // Entity(args): all variables of the key, or (in `put` and `load`) none.
    void resolve_key_arguments(ItemReference& item, const Entity& entity, const Scope& scope);
    void resolve_pattern_arguments(
        std::vector<Argument>& arguments, const Pattern& pattern, const Scope& scope, Position at
    );
    void resolve_step(const Operation& operation, Step& step, Scope scope);

    // --- resolve_calls.cc

    void resolve_pattern_names(Pattern& pattern);
    void resolve_pattern(Pattern& pattern);
    void resolve_inputs(std::vector<Input>& inputs, Scope& scope);
    void borrow(Input& input, const std::string& where);
    void resolve_operation(Operation& operation);
    void check_routes(
        const std::string& name, const std::vector<Route>& routes, const std::vector<Input>& inputs
    );
    void resolve_job(Job& job);
    void resolve_run(Job& job, const Scope& scope);

    Model& model_;
    Diagnostics& diagnostics_;
    std::set<std::string, std::less<>> enum_values_;
};

}  // namespace gateleg::model

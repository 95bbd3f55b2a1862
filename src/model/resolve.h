// Says what the words of an expression mean: attribute or enum value, which input, which type.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/diagnostics.h"
#include "model/expression.h"
#include "model/schema.h"

namespace gateleg::model {

// What an expression may speak of.
struct Scope {
    // The item at hand; several when it can be one of several entities, whose common attributes
    // count.
    std::vector<const Entity*> item = {};
    std::map<std::string, Type, std::less<>> variables = {};
    const Table* table = nullptr;
    // Every enum value of the model: what a bare name may be where the place does not say.
    const std::set<std::string, std::less<>>* enum_values = nullptr;
    bool existence = false;  // exists and absent have a meaning
    std::string where = {};  // "entity Story", for messages
};

// Resolves in place and returns the type. `expected` is the type of the place the value goes to:
// its enum values are known by their bare names.
Type resolve(
    const Expression& expression, const Scope& scope, const Type& expected, Diagnostics& diagnostics
);
Type resolve(
    const ExprPtr& expr, const Scope& scope, const Type& expected, Diagnostics& diagnostics
);

inline Type boolean_type() {
    return {ValueKind::kBoolean};
}

// Attributes of the item at hand that the expression reads, through derived ones as well.
std::vector<std::string> attributes_read(const Expression& expression, const Entity& entity);
std::vector<std::string> attributes_read(const ExprPtr& expr, const Entity& entity);

}  // namespace gateleg::model

// Condition and filter expressions.

#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "expr/cache.h"
#include "expr/resolver.h"
#include "expr/scope.h"
#include "value/value_view.h"

namespace gateleg::expr {

// Compiled for one request: refers to the names and values of its scope. Immutable.
class Condition {
public:
    explicit Condition(Binding binding) : binding_(std::move(binding)) {}
    const Binding& binding() const { return binding_; }

private:
    Binding binding_;
};

// `kind` is kCondition or kFilter.
Result<Condition> compile_condition(Cache& cache, Kind kind, std::string_view text, Scope& scope);

// True if `item` meets the condition; none is an item without attributes.
// Total: what can fail has failed when the condition was compiled.
bool holds(const Condition& condition, std::optional<value::ValueView> item);

// The top-level attributes it looks at, and those of them it looks into (a.b, a[0]).
std::vector<std::string_view> root_names(const Condition& condition);
std::vector<std::string_view> nested_root_names(const Condition& condition);

}  // namespace gateleg::expr

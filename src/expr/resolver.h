// Gives the placeholders of a tree their meaning in one request.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/ast.h"
#include "expr/cache.h"
#include "expr/scope.h"
#include "value/value_view.h"

namespace gateleg::expr {

// A tree and what its slots stand for. The views are the scope's: they live as long as its names
// and values do.
struct Binding {
    std::shared_ptr<const Tree> tree;
    std::vector<std::optional<std::string_view>> names;   // By slot; empty: not defined.
    std::vector<std::optional<value::ValueView>> values;  // By slot; empty: not defined.

    // For steps that name an attribute, once check_path() has passed.
    std::string_view name_of(const Step& step) const {
        return step.form == Step::Form::kName ? step.text : *names[step.number];
    }
};

// Parses `text` or finds it in the cache, then looks its placeholders up. Undefined ones are left
// for the checks below, which report problems in DynamoDB's order.
Result<Binding> bind(Cache& cache, Kind kind, std::string_view text, Scope& scope);

// Fails if a name of `path` is not defined.
Result<void> check_path(const Binding& binding, PathId path);

// The checks of a condition, filter or key condition: names, values, number and types of operands.
Result<void> check_condition(const Binding& binding);

// "[a, b, [3]]", as messages show a path.
std::string render_path(const Binding& binding, PathId path);
bool same_path(const Binding& binding, PathId left, PathId right);

// The type of an operand whatever the item is; none for a path.
std::optional<value::Type> static_type(const Binding& binding, NodeId operand);
// Fails if `op` may not have the same path as its first and another operand, and does.
Result<void> check_distinct(const Binding& binding, const Node& node);

// The value at `path` in an item.
std::optional<value::ValueView> find_value(
    const Binding& binding, PathId path, value::ValueView item
);

// The attributes that paths begin with, each once: of all paths, or of those that go deeper.
std::vector<std::string_view> root_names(const Binding& binding);
std::vector<std::string_view> nested_root_names(const Binding& binding);

}  // namespace gateleg::expr

// Projection expressions.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "expr/cache.h"
#include "expr/path_set.h"
#include "expr/resolver.h"
#include "expr/scope.h"
#include "value/value_view.h"

namespace gateleg::expr {

// Compiled for one request: refers to the names of its scope. Immutable.
class Projection {
public:
    Projection(Binding binding, PathSet paths)
        : binding_(std::move(binding)), paths_(std::move(paths)) {}
    const Binding& binding() const { return binding_; }
    const PathSet& paths() const { return paths_; }

private:
    Binding binding_;
    PathSet paths_;
};

Result<Projection> compile_projection(Cache& cache, std::string_view text, Scope& scope);

// Appends, as a map, the parts of `item` that the paths lead to. Elements picked from a list keep
// their order and close up; containers of which nothing is picked are left out.
void append_projected(std::string& out, const Projection& projection, value::ValueView item);
void append_projected(std::string& out, const PathSet& paths, value::ValueView item);

// The top-level attributes it begins with, and those of them it looks into (a.b, a[0]).
std::vector<std::string_view> root_names(const Projection& projection);
std::vector<std::string_view> nested_root_names(const Projection& projection);

}  // namespace gateleg::expr

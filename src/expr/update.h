// Update expressions.

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

// Compiled for one request: refers to the names and values of its scope. Immutable.
class Update {
public:
    Update(Binding binding, PathSet targets)
        : binding_(std::move(binding)), targets_(std::move(targets)) {}
    const Binding& binding() const { return binding_; }
    // The path of each action; a member's position is that of its action in the tree.
    const PathSet& targets() const { return targets_; }

private:
    Binding binding_;
    PathSet targets_;
};

Result<Update> compile_update(Cache& cache, std::string_view text, Scope& scope);

struct UpdateWants {
    bool updated_old = false;
    bool updated_new = false;
};

struct UpdateResult {
    value::EncodedItem item;
    // Map values of what the targets hold before and after; empty strings unless wanted. A map of
    // no entries means that the reply has no Attributes.
    std::string updated_old;
    std::string updated_new;
};

// `item` is the old item, or its key attributes alone when there is none. Every operand is read
// from it, so the order of the actions does not matter.
Result<UpdateResult> apply_update(const Update& update, value::ValueView item, UpdateWants wants);

// Whether an item that does not exist comes to be: not by REMOVE and DELETE alone.
bool can_create_item(const Update& update);

// The top-level attributes it writes to or into, each once.
std::vector<std::string_view> root_names(const Update& update);
// The top-level attributes that it writes or reads a part of (a.b, a[0]).
std::vector<std::string_view> nested_root_names(const Update& update);

}  // namespace gateleg::expr

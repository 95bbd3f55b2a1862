// What a step of an operation sets, adds and appends, computed and checked.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/evaluate.h"
#include "model/item_codec.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

using Names = std::set<std::string, std::less<>>;

// One step, or one turn of its loop.
struct StepRun {
    const Step* step = nullptr;
    std::size_t order = 0;  // in the file
    std::size_t turn = 0;   // of its loop
    const Entity* entity = nullptr;
    std::optional<value::Item> key = {};  // nothing: a variable of it is null
    value::Item identity = {};            // attributes known from the key
    Environment environment = {};         // without an item
    const Names* given_inputs = nullptr;

    // exists or absent, unless the step says something of its own about that.
    bool has_default_condition() const {
        return step->verb == Verb::kUpsert ? false
               : step->verb == Verb::kPut  ? step->conditions.empty()
                                           : !step->says_existence;
    }
};

struct Changes {
    value::Item set = {};  // Null: no value any more
    std::map<std::string, value::Number, std::less<>> add = {};
    std::map<std::string, value::List, std::less<>> append = {};
    bool edits = false;  // something beside `add`
};

// Names that the step writes, without computing their values. Fails if `spread` does.
Result<Names> touched_names(const StepRun& run, const Model& model);
// Attributes of the item at hand that its values are computed from.
Names names_used(const StepRun& run);

// Adds the changes of a step to those of earlier steps on the same item; `item` is the item at
// hand. False when two steps want different things of one attribute.
Result<bool> add_changes(
    Changes& changes,
    const StepRun& run,
    const value::Item& item,
    const Model& model,
    FieldErrors& errors
);

// All attributes of a new item: what the changes give, then defaults. Every rule is checked.
Result<value::Item> new_item(
    const Changes& changes,
    const Entity& entity,
    const value::Item& identity,
    const Environment& environment,
    FieldErrors& errors
);

// The item with the changes made.
Result<value::Item> changed_item(
    const value::Item& before, const Changes& changes, const Entity& entity, FieldErrors& errors
);

}  // namespace gateleg::model

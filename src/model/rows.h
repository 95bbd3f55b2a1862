// Rows: the items that must exist because their owner does, and the writes that keep them so.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/evaluate.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct Row {
    const Step* step = nullptr;
    const Entity* entity = nullptr;
    value::Item key;
    std::string key_bytes;
    value::Item attributes;
    value::Item raw;
    // What the owner gives; the rest are defaults and stays as it was first written.
    std::set<std::string, std::less<>> given;
    Environment environment;  // of its conditions: the loop's variable

    // A guard: taken only while nobody has it.
    bool is_guard() const { return !step->conditions.empty(); }
};

// The rows of an owner with these attributes, each key once. A row whose key has a null variable
// does not exist.
Result<std::vector<Row>> rows_of(
    const Model& model,
    const Entity& owner,
    const value::Item& attributes,
    const Environment& environment
);

}  // namespace gateleg::model

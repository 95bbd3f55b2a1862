// A model as a design document: tables of entities, keys, access patterns and operations.

#pragma once

#include <string>

#include "model/schema.h"

namespace gateleg::model {

std::string to_markdown(const Model& model);

// What the query of a pattern asks of the partition and sort key, as in a design document:
// "PK = USER#{userId} and SK begins with STORY#".
std::string key_condition_text(const Model& model, const Pattern& pattern);

}  // namespace gateleg::model

// The rules by what they look at, and what they share. Used by check.cc only.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/diagnostics.h"
#include "model/schema.h"

namespace gateleg::model {

void check_table(const Model& model, Diagnostics& diagnostics);
void check_attributes(const Model& model, Diagnostics& diagnostics);
void check_keys(const Model& model, Diagnostics& diagnostics);
void check_shared_keys(const Model& model, Diagnostics& diagnostics);
void check_rows(const Model& model, Diagnostics& diagnostics);
void check_patterns(const Model& model, Diagnostics& diagnostics);
void check_operations(const Model& model, Diagnostics& diagnostics);
void check_jobs(const Model& model, Diagnostics& diagnostics);

using Names = std::set<std::string, std::less<>>;

// `attributes` and every attribute their `is` reads.
Names with_sources(const Names& attributes, const Entity& entity);
// Attributes a key is made of, through derived ones and its `when`.
Names key_sources(const KeyRule& rule, const Entity& entity);
// Attributes a row is made of.
Names row_sources(const Step& row, const Entity& owner);
// Attributes a step writes by name, those of set: input included.
Names written(const Step& step, const Operation& operation, const Entity& target);
// The most elements a list expression can have, if that is declared.
std::optional<int> list_bound(const ExprPtr& list);
std::optional<int> to_int(const std::optional<value::Number>& number);

}  // namespace gateleg::model

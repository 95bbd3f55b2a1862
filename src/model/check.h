// The rules a model must keep, each with an id; docs/model-language.md lists them.

#pragma once

#include <string>
#include <vector>

#include "model/diagnostics.h"
#include "model/schema.h"

namespace gateleg::model {

// Runs every rule on a model that load_model() gave.
void check_model(const Model& model, Diagnostics& diagnostics);

// The most actions one call of the operation can put into its transaction, rows and the idempotency
// record included; pins are merged into writes of the same item and otherwise counted.
int worst_case_actions(const Model& model, const Operation& operation);

}  // namespace gateleg::model

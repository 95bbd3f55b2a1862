// The two steps between a tree of nodes and a Model: reading, and looking names up.

#pragma once

#include "model/diagnostics.h"
#include "model/node.h"
#include "model/schema.h"

namespace gateleg::model {

void read_model(const Node& root, Model& model, Diagnostics& diagnostics);

// Fills everything schema.h calls resolved, and resolves all expressions.
void resolve_model(Model& model, Diagnostics& diagnostics);

}  // namespace gateleg::model

// The table a model needs: made if it is missing, completed if it lacks indexes, refused if it is
// another one.

#pragma once

#include "dynamo/dynamo.h"
#include "model/runtime.h"
#include "model/schema.h"

namespace gateleg::app {

// For start-up: it blocks. Throws ConfigError, saying what differs.
void prepare_table(const model::Model& model, model::Runtime& runtime, dynamo::Dynamo& dynamo);

}  // namespace gateleg::app

// The table a model needs, at the start of a server. On the embedded store it is made if it is
// missing and completed if it lacks indexes; in a remote store it must be there. A table that is
// another one is refused.

#pragma once

#include "app/config.h"
#include "dynamo/dynamo.h"
#include "model/schema.h"

namespace gateleg::app {

// It blocks. Throws ConfigError, saying what differs.
void prepare_table(const model::Model& model, const Config& config, dynamo::Dynamo& dynamo);

}  // namespace gateleg::app

// OpenAPI 3.1 of one model or of several: a pure function of what the files say.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/schema.h"
#include "model/surface.h"

namespace gateleg::model {

// Which endpoints a document has.
using EndpointFilter = std::function<bool(const Model& model, const Endpoint& endpoint)>;

// A whole document, or one of what `shown` lets through: of an endpoint that is left out neither
// its path nor what only it answers with is named. With several models the names of schemas and
// operations begin with the model's name.
std::string render_openapi(
    const std::vector<const Model*>& models, const EndpointFilter& shown = nullptr
);

}  // namespace gateleg::model

// OpenAPI 3.1 of one model or of several: a pure function of what the files say.

#pragma once

#include <string>
#include <vector>

#include "model/schema.h"

namespace gateleg::model {

// A whole document. With several models the names of schemas and operations begin with the model's
// name.
std::string render_openapi(const std::vector<const Model*>& models);

}  // namespace gateleg::model

// A TypeScript client of a model: one file, no dependency, strict.

#pragma once

#include <string>

#include "model/schema.h"

namespace gateleg::model {

std::string to_typescript(const Model& model);

}  // namespace gateleg::model

// From a model file to a Model.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/diagnostics.h"
#include "model/schema.h"

namespace gateleg::model {

// Reads, types and resolves. Null if `diagnostics` has an error that leaves no model; a model that
// is returned may be used only if there is no error at all. check_model() (check.h) finds the rest.
std::unique_ptr<Model> load_model(std::string_view text, Diagnostics& diagnostics);
// The same from a file; one that cannot be read is an error Y02.
std::unique_ptr<Model> load_model_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace gateleg::model

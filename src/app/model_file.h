// Models by their file or by the name of a built-in system: loaded, checked, or refused with every
// error and its place.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/schema.h"
#include "systems/registry.h"

namespace gateleg::app {

// `text` and `catalog` are used in place of the files when `text` is set. Throws ConfigError with
// the errors as file:line:col.
std::unique_ptr<model::Model> load_checked_model(
    const std::string& file, const std::optional<std::string>& text, const std::string& catalog
);

// From the trees that the build made, and checked, of its files.
std::unique_ptr<model::Model> load_built_in(const systems::SystemFiles& files);

// What a command was given: a model file, or the name of a built-in system when there is no such
// file.
std::unique_ptr<model::Model> load_named_model(const std::string& file_or_system);

}  // namespace gateleg::app

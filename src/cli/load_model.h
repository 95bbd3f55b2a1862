// The model a command was given: a file, or the name of a system that this binary has.

#pragma once

#include <memory>
#include <string>

#include "model/diagnostics.h"
#include "model/schema.h"

namespace gateleg::cli {

// For help texts.
inline constexpr const char* kModelHelp = "Model file, or name of a built-in system";

// Loaded and checked, with everything found in `diagnostics`; null if it cannot be read at all.
std::unique_ptr<model::Model> load_given_model(
    const std::string& file_or_system, model::Diagnostics& diagnostics
);

// Errors alone, to stderr.
void print_errors(const model::Diagnostics& found, const std::string& file);

}  // namespace gateleg::cli

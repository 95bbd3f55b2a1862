// `gateleg check`, `gateleg doc` and `gateleg schema`: what can be done with a model file alone.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

void add_model_commands(CLI::App& app, int& exit_code);

}  // namespace gateleg::cli

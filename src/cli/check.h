// `gateleg check` and `gateleg doc`: a model file for those who write and read it.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

void add_model_commands(CLI::App& app, int& exit_code);

}  // namespace gateleg::cli

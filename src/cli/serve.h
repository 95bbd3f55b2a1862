// `gateleg serve`: runs the server until it is told to stop.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

// Adds the subcommand; `exit_code` is set when it has run.
void add_serve(CLI::App& app, int& exit_code);

}  // namespace gateleg::cli

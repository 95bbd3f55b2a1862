// What is made from a model file alone: `openapi`, `schema`, `generate`, `export`; and `import`,
// which makes one.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

void add_generate_commands(CLI::App& app, int& exit_code);

}  // namespace gateleg::cli

// What is made from the commands' own help: completions for shells, and the man page.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

// Adds `completions SHELL` and `man`, which describe `app` as it is when they run.
void add_completions(CLI::App& app, int& exit_code);

}  // namespace gateleg::cli

// `gateleg fsck-objects`: compares the bodies and the records of a stopped server's objects.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

// Adds the subcommand; `exit_code` is set when it has run.
void add_fsck_objects(CLI::App& app, int& exit_code);

// The program as its own thumbnail worker (objects/thumbnail.h): does not come back then.
void run_if_thumbnail_worker(int argc, const char* const* argv);

}  // namespace gateleg::cli

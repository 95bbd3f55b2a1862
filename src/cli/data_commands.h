// The commands that work on the data of a model: on a running server, on the directory of a stopped
// one, or on a store over the network.

#pragma once

#include <CLI/CLI.hpp>

namespace gateleg::cli {

// Each adds its subcommand; `exit_code` is set when it has run.
void add_table_commands(CLI::App& app, int& exit_code);  // plan and apply
void add_backfill(CLI::App& app, int& exit_code);
void add_backup(CLI::App& app, int& exit_code);  // backup and restore
void add_fsck(CLI::App& app, int& exit_code);
// The link into the console of a running server.
void add_console(CLI::App& app, int& exit_code);
// keys create, list and revoke.
void add_keys(CLI::App& app, int& exit_code);
void add_scan(CLI::App& app, int& exit_code);
void add_outbox(CLI::App& app, int& exit_code);
void add_clone(CLI::App& app, int& exit_code);
// `data`, below the commands export and import.
void add_export_data(CLI::App& parent, int& exit_code);
void add_import_data(CLI::App& parent, int& exit_code);
void add_set_admin_role(CLI::App& app, int& exit_code);

}  // namespace gateleg::cli

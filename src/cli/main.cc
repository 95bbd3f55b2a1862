#include <cstdio>

#include <CLI/CLI.hpp>

#include "app/config.h"
#include "cli/check.h"
#include "cli/completions.h"
#include "cli/data_commands.h"
#include "cli/fsck_objects.h"
#include "cli/generate.h"
#include "cli/serve.h"

#ifndef GATELEG_VERSION
#define GATELEG_VERSION "unknown"
#endif

namespace {

// What a caller can rely on; `gateleg --help` prints it.
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr const char* kFooter =
    "\nExit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 damaged data refused,\n"
    "4 data written by a newer version, 5 something is left to do (plan, backfill, fsck).";

}  // namespace

int main(int argc, char** argv) {
    gateleg::cli::run_if_thumbnail_worker(argc, argv);
    CLI::App app("Gateleg: your single-table design, running.", "gateleg");
    app.set_version_flag("--version", "gateleg " GATELEG_VERSION);
    app.require_subcommand(0, 1);
    app.footer(kFooter);
    int exit_code = 0;
    gateleg::cli::add_serve(app, exit_code);
    gateleg::cli::add_console(app, exit_code);
    gateleg::cli::add_model_commands(app, exit_code);
    gateleg::cli::add_table_commands(app, exit_code);
    gateleg::cli::add_backfill(app, exit_code);
    gateleg::cli::add_fsck(app, exit_code);
    gateleg::cli::add_outbox(app, exit_code);
    gateleg::cli::add_set_admin_role(app, exit_code);
    gateleg::cli::add_generate_commands(app, exit_code);
    gateleg::cli::add_fsck_objects(app, exit_code);
    gateleg::cli::add_completions(app, exit_code);
    try {
        app.parse(argc, argv);
        if (app.get_subcommands().empty()) {
            std::fputs(app.help().c_str(), stderr);
            return kExitUsage;
        }
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitUsage;
    } catch (const gateleg::storage::StoreOpenError& error) {
        std::fprintf(stderr, "gateleg: %s\n", error.what());
        return error.exit_code();
    } catch (const gateleg::app::ConfigError& error) {
        std::fprintf(stderr, "gateleg: %s\n", error.what());
        return kExitUsage;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gateleg: %s\n", error.what());
        return kExitFailed;
    }
    return exit_code;
}

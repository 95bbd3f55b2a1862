#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/config.h"
#include "app/dynamodb_local.h"
#include "cli/check.h"
#include "cli/completions.h"
#include "cli/data_commands.h"
#include "cli/fsck_objects.h"
#include "cli/generate.h"
#include "cli/serve.h"
#include "model/diagnostics.h"

#ifndef GATELEG_VERSION
#define GATELEG_VERSION "unknown"
#endif

namespace {

// What a caller can rely on; `gateleg --help` prints it.
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr const char* kFooter =
    "\nExit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 damaged data refused,\n"
    "4 data written by a newer version, 5 something is left to do (plan, backfill, fsck, or work "
    "that was broken off).";

constexpr std::size_t kHelpColumns = 100;

// Lines of at most `columns`, broken between words; breaks that are there stay.
std::string wrapped(const std::string& text, std::size_t columns) {
    std::string out;
    std::size_t line = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto end = std::min(text.find_first_of(" \n", at), text.size());
        const auto word = text.substr(at, end - at);
        if (line > 0 && line + 1 + word.size() > columns) {
            out.push_back('\n');
            line = 0;
        } else if (line > 0) {
            out.push_back(' ');
            ++line;
        }
        out.append(word);
        line += word.size();
        at = end + 1;
        if (end < text.size() && text[end] == '\n') {
            out.push_back('\n');
            line = 0;
        }
    }
    return out;
}

// Help that fits a terminal. Commands are listed by the first part of what they say about
// themselves; `gateleg NAME --help` has it all.
class HelpText final : public CLI::Formatter {
public:
    std::string make_description(const CLI::App* command) const override {
        return wrapped(CLI::Formatter::make_description(command), kHelpColumns);
    }
    std::string make_footer(const CLI::App* command) const override {
        return wrapped(CLI::Formatter::make_footer(command), kHelpColumns);
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(CLI::Formatter::make_option_desc(option), kHelpColumns - get_column_width());
    }
    std::string make_subcommand(const CLI::App* command) const override {
        auto text = command->get_description();
        for (const auto* end : {": ", ". ", "; "}) {
            text = text.substr(0, text.find(end));
        }
        std::stringstream out;
        CLI::detail::format_help(out, command->get_display_name(true), text, get_column_width());
        return out.str();
    }
};

// What was typed where a command should stand, if it is none; CLI11 would only say that it was not
// expected.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-' || argv[1][0] == '\0') {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
        const auto& aliases = command->get_aliases();
        names.insert(names.end(), aliases.begin(), aliases.end());
    }
    const std::string given = argv[1];
    if (std::find(names.begin(), names.end(), given) != names.end()) {
        return std::nullopt;
    }
    const auto hint = gateleg::model::did_you_mean(given, names);
    return "there is no command '" + given + "'" + (hint.empty() ? "" : "; " + hint) +
           " `gateleg --help` lists them.";
}

}  // namespace

int main(int argc, char** argv) {
    gateleg::cli::run_if_thumbnail_worker(argc, argv);
    CLI::App app("Gateleg: your single-table design, running.", "gateleg");
    app.set_version_flag("--version", "gateleg " GATELEG_VERSION);
    app.require_subcommand(0, 1);
    app.footer(kFooter);
    app.formatter(std::make_shared<HelpText>());
    int exit_code = 0;
    gateleg::cli::add_serve(app, exit_code);
    gateleg::cli::add_console(app, exit_code);
    gateleg::cli::add_keys(app, exit_code);
    gateleg::cli::add_model_commands(app, exit_code);
    gateleg::cli::add_table_commands(app, exit_code);
    gateleg::cli::add_backfill(app, exit_code);
    gateleg::cli::add_backup(app, exit_code);
    gateleg::cli::add_fsck(app, exit_code);
    gateleg::cli::add_scan(app, exit_code);
    gateleg::cli::add_clone(app, exit_code);
    gateleg::cli::add_outbox(app, exit_code);
    gateleg::cli::add_set_admin_role(app, exit_code);
    gateleg::cli::add_generate_commands(app, exit_code);
    gateleg::cli::add_fsck_objects(app, exit_code);
    gateleg::cli::add_completions(app, exit_code);
    if (const auto unknown = unknown_command(app, argc, argv)) {
        std::fprintf(stderr, "gateleg: %s\n", unknown->c_str());
        return kExitUsage;
    }
    try {
        if (auto words = gateleg::app::translate_dynamodb_local(
                {argv + 1, argv + argc}, std::getenv("GATELEG_CONTAINER") != nullptr
            )) {
            std::reverse(words->begin(), words->end());  // as CLI11 wants them
            app.parse(*std::move(words));
        } else {
            app.parse(argc, argv);
        }
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

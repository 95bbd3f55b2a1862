#include <memory>

#include "app/data_copy.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"

namespace gateleg::cli {
namespace {

struct CopyArguments {
    std::string directory;
    std::string data = "gateleg-data";
    std::string output = "text";
};

template <class Copy>
int copy(
    const CopyArguments& arguments, Copy copy_rows, const std::string& from, const std::string& to
) {
    Progress progress("rows copied", 0);
    const auto totals = value_or_fail(copy_rows(from, to, [&](const storage::CopyTotals& copied) {
        progress.show(static_cast<std::int64_t>(copied.rows));
    }));
    if (arguments.output == "json") {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        json.member("directory", to);
        json.member("rows", totals.rows);
        json.member("bytes", totals.bytes);
        json.end_object();
        print(text + "\n");
    } else {
        print(
            to + " holds a copy of " + from + ": " + std::to_string(totals.rows) + " rows, " +
            std::to_string(totals.bytes) + " bytes, compared after writing.\n"
        );
    }
    return 0;
}

void add_output(CLI::App& command, CopyArguments& arguments) {
    command.add_option("--output", arguments.output, "How to print the result")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command.footer("\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 damaged data refused.");
}

}  // namespace

void add_backup(CLI::App& app, int& exit_code) {
    const auto saved = std::make_shared<CopyArguments>();
    auto* backup = app.add_subcommand(
        "backup",
        "Copy the database of a data directory, as it is at one moment, into a new directory. A "
        "running server goes on meanwhile. The copy is compared with the original; it is a data "
        "directory itself. Objects and the server's secret are not part of it."
    );
    backup->add_option("DIR", saved->directory, "New directory for the copy")->required();
    backup->add_option("--data", saved->data, "Data directory to copy")->capture_default_str();
    add_output(*backup, *saved);
    backup->callback([saved, &exit_code] {
        exit_code = copy(*saved, app::copy_data, saved->data, saved->directory);
    });

    const auto restored = std::make_shared<CopyArguments>();
    auto* restore = app.add_subcommand(
        "restore",
        "Make a new data directory from a copy that `gateleg backup` made. Every file is compared "
        "with the list that the copy holds; one that has changed is named, and nothing is restored."
    );
    restore->add_option("DIR", restored->directory, "The copy")->required();
    restore->add_option("--data", restored->data, "New data directory; it must not hold anything")
        ->capture_default_str();
    add_output(*restore, *restored);
    restore->callback([restored, &exit_code] {
        exit_code = copy(*restored, app::restore_data, restored->directory, restored->data);
    });
}

}  // namespace gateleg::cli

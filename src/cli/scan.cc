#include <cstdio>
#include <memory>
#include <optional>

#include "app/data_store.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "cli/draft.h"
#include "model/scan_table.h"

namespace gateleg::cli {
namespace {

constexpr std::size_t kLookedAt = 10'000;

struct ScanArguments {
    std::string table;
    bool infer = false;
    std::size_t most = 0;  // 0: not given
    DataOptions data;
};

int scan(const ScanArguments& arguments) {
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kRefuse, clock);
    if (!arguments.infer) {
        model::ScanTableOptions options;
        options.most = arguments.most;
        value_or_fail(model::list_items(
            store.dynamo(),
            arguments.table,
            options,
            [](const std::string& json) { print(json + "\n"); }
        ));
        return 0;
    }
    const auto found = [&] {
        std::optional<Progress> progress;
        model::ScanTableOptions options;
        options.most = arguments.most != 0 ? arguments.most : kLookedAt;
        options.progress = [&](std::size_t count, std::size_t total) {
            if (!progress) {
                progress.emplace("items read:", static_cast<std::int64_t>(total));
            }
            progress->show(static_cast<std::int64_t>(count));
        };
        return value_or_fail(model::infer_table(store.dynamo(), arguments.table, options));
    }();
    print_draft(found.draft.yaml, found.draft.notes);
    std::fprintf(
        stderr,
        "%zu kinds of items among the %zu that were read. `gateleg fsck FILE`, with this draft in "
        "FILE, compares every item of the table with it and changes nothing.\n",
        found.draft.entities,
        found.items
    );
    return 0;
}

}  // namespace

void add_scan(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<ScanArguments>();
    auto* command = app.add_subcommand(
        "scan",
        "Print the items of a table, a line of DynamoDB's JSON each; with --infer, a model file "
        "drafted from them. Reads only."
    );
    command->add_option("TABLE", arguments->table, "Name of the table")->required();
    command->add_flag(
        "--infer",
        arguments->infer,
        "Print a model file to start from: entities, key templates and types as the items show them"
    );
    command
        ->add_option(
            "--most",
            arguments->most,
            "The most items that are read; with --infer 10000 if not given"
        )
        ->type_name("N");
    add_data_options(*command, arguments->data, "0 done, 1 failed, 2 wrong usage.");
    command->callback([arguments, &exit_code] { exit_code = scan(*arguments); });
}

}  // namespace gateleg::cli

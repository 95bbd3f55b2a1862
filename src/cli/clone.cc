#include <filesystem>
#include <memory>
#include <optional>

#include "app/config.h"
#include "app/data_store.h"
#include "cli/data_commands.h"
#include "cli/transfer_run.h"
#include "transfer/clone_table.h"

namespace gateleg::cli {
namespace {

struct CloneArguments {
    std::string from;
    std::string to;
    std::vector<std::string> rules;
    std::string state;
    SpeedOptions speed;
    DataOptions data;
    transfer::CloneOptions options;
};

void print_report(const CloneArguments& arguments, const transfer::CloneReport& report) {
    const auto& options = arguments.options;
    if (arguments.data.as_json()) {
        print_event(report.finished ? "done" : "stopped", [&](JsonWriter& json) {
            json.member("table", options.table);
            json.member("as", options.new_table);
            json.member("created", report.created);
            json.member("items", report.items);
            if (report.counted) {
                json.member("counted", *report.counted);
            }
            json.member("readUnits", report.read_units);
            json.member("writeUnits", report.write_units);
        });
        return;
    }
    print(
        std::to_string(report.items) + " items of " + options.table + " copied to " +
        options.new_table + " in " + options.target_name +
        (report.counted ? "; " + std::to_string(*report.counted) + " are there now" : "") + "\n"
    );
    if (!report.finished) {
        print("Stopped; the same command with --resume goes on.\n");
    } else if (report.counted != report.items) {
        print(
            "The counts differ: something else wrote to the table, or the source changed while the "
            "clone was broken off.\n"
        );
    }
}

bool same_folder(const std::filesystem::path& one, const std::filesystem::path& other) {
    std::error_code missing;
    return std::filesystem::equivalent(one, other, missing);
}

int clone(CloneArguments& arguments) {
    auto& options = arguments.options;
    for (const auto& text : arguments.rules) {
        auto rule = transfer::parse_rule(text);
        if (!rule) {
            throw app::ConfigError(rule.error().message);
        }
        options.rules.push_back(*std::move(rule));
    }
    if (!arguments.to.empty()) {
        arguments.data.location.endpoint = arguments.to;
    }
    if (options.new_table.empty()) {
        options.new_table = options.table;
    }
    options.state =
        arguments.state.empty() ? "gateleg-clone-" + options.new_table + ".state" : arguments.state;
    options.max_read_units = arguments.speed.read_units;
    options.max_write_units = arguments.speed.write_units;
    options.max_items = arguments.speed.items;
    require_state(options.state, options.resume, "clone");
    app::DataLocation from;
    from.region = arguments.data.location.region;
    if (arguments.from.find("://") != std::string::npos) {
        from.endpoint = arguments.from;
    } else {
        from.data = arguments.from;
    }
    const SystemClock clock;
    const auto& to = arguments.data.location;
    // A directory is opened once, also when a table is copied within it.
    std::optional<app::DataStore> source;
    if (!from.endpoint.empty() || !to.endpoint.empty() || !same_folder(from.data, to.data)) {
        source.emplace(from, app::WhenMissing::kRefuse, clock);
    }
    app::DataStore target(to, app::WhenMissing::kCreate, clock);
    options.source_name = arguments.from;
    options.target_name = target.name();
    TransferRun run("items", arguments.data);
    const auto report = value_or_fail(transfer::clone_table(
        source ? source->dynamo() : target.dynamo(), target.dynamo(), options, run.control()
    ));
    run.end();
    print_report(arguments, report);
    return report.finished && report.counted == report.items ? 0 : kExitLeftToDo;
}

}  // namespace

void add_clone(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<CloneArguments>();
    auto& options = arguments->options;
    auto* command = app.add_subcommand(
        "clone",
        "Copy a table from another store: keys, indexes, time to live, stream setting, tags and "
        "items, within a budget of capacity; the items are counted at the end"
    );
    command
        ->add_option(
            "--from",
            arguments->from,
            "Where the table is: dynamodb://REGION, http://HOST:PORT, https://HOST:PORT, or a data "
            "directory. Keys come from the environment, as for the AWS SDKs"
        )
        ->type_name("URL")
        ->required();
    command->add_option("--table", options.table, "Name of the table")
        ->type_name("NAME")
        ->required();
    command->add_option("--as", options.new_table, "Name of the copy, if it is another one")
        ->type_name("NAME");
    command->add_flag(
        "--into-existing", options.into_existing, "Copy into a table that is there already"
    );
    command
        ->add_option(
            "--anonymise",
            arguments->rules,
            "FIELD=mask, FIELD=hash, FIELD=redact or FIELD=fake: make an attribute unrecognisable; "
            "may be given again"
        )
        ->type_name("RULE");
    command
        ->add_option("--segments", options.segments, "Parts of the table that are copied at once")
        ->type_name("N")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command->add_flag(
        "--consistent", options.consistent, "Strongly consistent reads, at twice the units"
    );
    command
        ->add_option(
            "--state",
            arguments->state,
            "File that keeps the place; gateleg-clone-NAME.state if not given"
        )
        ->type_name("FILE");
    command->add_flag("--resume", options.resume, "Go on with a clone that was broken off");
    add_read_bound(*command, arguments->speed, " of the source");
    add_write_bound(*command, arguments->speed, " of the target");
    add_rate(*command, arguments->speed);
    add_data_options(
        *command,
        arguments->data,
        "0 done and counted, 5 stopped by Ctrl-C (--resume goes on) or the counts differ, 1 "
        "failed, 2 wrong usage."
    );
    command->add_option("--to", arguments->to, "The same as --endpoint: the store to copy to")
        ->type_name("URL")
        ->excludes("--endpoint")
        ->excludes("--data");
    command->callback([arguments, &exit_code] { exit_code = clone(*arguments); });
}

}  // namespace gateleg::cli

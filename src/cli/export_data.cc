#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/config.h"
#include "app/data_store.h"
#include "cli/data_commands.h"
#include "cli/transfer_run.h"
#include "transfer/export_table.h"
#include "transfer/import_source.h"

namespace gateleg::cli {
namespace {

namespace fs = std::filesystem;

struct ExportDataArguments {
    std::string table;
    std::string out;
    std::string format = "s3";
    std::string delimiter = ",";
    SpeedOptions speed;
    DataOptions data;
    transfer::ExportOptions options;
};

transfer::Format format_of(const std::string& name) {
    return name == "csv"    ? transfer::Format::kCsv
           : name == "json" ? transfer::Format::kJson
                            : transfer::Format::kDynamoDbJson;
}

void print_report(
    const ExportDataArguments& arguments,
    const transfer::ExportReport& report,
    const std::string& place
) {
    if (arguments.data.as_json()) {
        print_event(report.finished ? "done" : "stopped", [&](JsonWriter& json) {
            json.member("table", arguments.table);
            json.member("format", arguments.format);
            json.member("items", report.items);
            json.member("files", arguments.format == "s3" ? report.files : 1);
            json.member("exportId", report.id);
            json.member("path", place);
            json.member("readUnits", report.read_units);
        });
    } else if (report.finished) {
        print(
            std::to_string(report.items) + " items of " + arguments.table + " are in " + place +
            "\n"
        );
    } else {
        print(
            "Stopped after " + std::to_string(report.items) +
            " items; the same command with --resume goes on.\n"
        );
    }
}

void convert(const ExportDataArguments& arguments, const fs::path& folder) {
    value_or_fail_void(transfer::convert_export(
        folder, arguments.out, format_of(arguments.format), delimiter_of(arguments.delimiter)
    ));
    std::error_code ignored;
    fs::remove_all(arguments.options.folder, ignored);
}

// Everything was read before, and the file was being made of it.
bool convert_finished(const ExportDataArguments& arguments) {
    const auto found = transfer::find_source(arguments.options.folder, {});
    if (!found || !found->is_export) {
        return false;
    }
    const fs::path folder = found->name;
    transfer::ExportReport report;
    report.id = folder.filename().string();
    report.items = found->item_count;
    report.finished = true;
    convert(arguments, folder);
    print_report(arguments, report, arguments.out);
    return true;
}

int export_data(ExportDataArguments& arguments) {
    const bool one_file = arguments.format != "s3";
    auto& options = arguments.options;
    options.table = arguments.table;
    options.max_read_units = arguments.speed.read_units;
    options.max_items = arguments.speed.items;
    // A file is made from an export beside it, which is what can be gone on with.
    options.folder = one_file ? arguments.out + ".partial" : arguments.out;
    if (one_file && fs::exists(arguments.out)) {
        throw app::ConfigError(arguments.out + ": exists already; nothing is written over");
    }
    if (one_file && options.resume && convert_finished(arguments)) {
        return 0;
    }
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kRefuse, clock);
    TransferRun run("items", arguments.data);
    const auto report =
        value_or_fail(transfer::export_table(store.dynamo(), clock, options, run.control()));
    run.end();
    if (one_file && report.finished) {
        convert(arguments, report.folder);
    }
    print_report(arguments, report, one_file ? arguments.out : report.folder.string());
    return report.finished ? 0 : kExitLeftToDo;
}

}  // namespace

void add_export_data(CLI::App& parent, int& exit_code) {
    const auto arguments = std::make_shared<ExportDataArguments>();
    auto* command = parent.add_subcommand(
        "data",
        "Write the items of a table to files: in the layout of DynamoDB's exports to S3, as JSON "
        "lines, or as CSV. What is written while it runs may or may not be in it"
    );
    command->add_option("TABLE", arguments->table, "Name of the table")->required();
    command
        ->add_option(
            "-o,--out",
            arguments->out,
            "Folder that will hold AWSDynamoDB/<ExportId>; for the other formats the file, "
            "compressed if its name ends with .gz"
        )
        ->type_name("PATH")
        ->required();
    command
        ->add_option(
            "--format",
            arguments->format,
            "s3: manifests, checksums and data files as DynamoDB writes them; dynamodb-json: lines "
            "{\"Item\":{..}}; json: plain lines, sets as lists; csv: a column an attribute"
        )
        ->check(CLI::IsMember({"s3", "dynamodb-json", "json", "csv"}))
        ->capture_default_str();
    add_delimiter(*command, arguments->delimiter);
    command
        ->add_option(
            "--segments",
            arguments->options.segments,
            "Parts of the table that are read at once, each a data file"
        )
        ->type_name("N")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command->add_flag(
        "--consistent",
        arguments->options.consistent,
        "Strongly consistent reads, at twice the units"
    );
    command->add_flag(
        "--resume", arguments->options.resume, "Go on with an export that was broken off"
    );
    add_read_bound(*command, arguments->speed, "");
    add_rate(*command, arguments->speed);
    add_data_options(
        *command,
        arguments->data,
        "0 done, 5 stopped by Ctrl-C (--resume goes on), 1 failed, 2 wrong usage."
    );
    command->callback([arguments, &exit_code] { exit_code = export_data(*arguments); });
}

}  // namespace gateleg::cli

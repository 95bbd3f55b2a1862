#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/config.h"
#include "app/data_store.h"
#include "app/model_file.h"
#include "cli/data_commands.h"
#include "cli/transfer_run.h"
#include "model/table_request.h"
#include "transfer/byte_file.h"
#include "transfer/import_items.h"
#include "transfer/import_source.h"
#include "transfer/table_shape.h"

namespace gateleg::cli {
namespace {

namespace fs = std::filesystem;

struct ImportDataArguments {
    std::string table;
    std::string source;
    std::string format;
    std::string compression;
    std::string delimiter = ",";
    std::string schema;
    std::string state;
    bool create = false;
    bool no_overwrite = false;
    SpeedOptions speed;
    DataOptions data;
    transfer::ImportOptions options;
};

transfer::SourceOptions source_options(const ImportDataArguments& arguments) {
    transfer::SourceOptions options;
    if (arguments.format == "csv") {
        options.format = transfer::Format::kCsv;
    } else if (arguments.format == "json") {
        options.format = transfer::Format::kJson;
    } else if (arguments.format == "dynamodb-json") {
        options.format = transfer::Format::kDynamoDbJson;
    }
    if (arguments.compression == "gzip") {
        options.compression = transfer::Compression::kGzip;
    } else if (arguments.compression == "zstd") {
        options.compression = transfer::Compression::kZstd;
    } else if (arguments.compression == "none") {
        options.compression = transfer::Compression::kNone;
    }
    return options;
}

// The table of a model file or of a built-in system.
transfer::TableShape shape_of_model(const std::string& file) {
    const auto model = app::load_named_model(file);
    auto request = model::create_table_request(model->table);
    transfer::TableShape shape;
    shape.table.attributes = std::move(request.attributes);
    shape.table.key_schema = std::move(request.key_schema);
    shape.table.billing_mode = dynamo::BillingMode::kPayPerRequest;
    if (request.global_indexes) {
        for (auto& index : *request.global_indexes) {
            shape.table.global_indexes.push_back({.definition = std::move(index)});
        }
    }
    if (!model->table.ttl.empty()) {
        shape.ttl = model->table.ttl;
    }
    return shape;
}

transfer::TableShape read_schema(const std::string& file) {
    if (!fs::path(file).extension().string().ends_with("json")) {
        return shape_of_model(file);
    }
    auto parsed = transfer::parse_table_shape(value_or_fail(transfer::read_whole_file(file)));
    if (!parsed) {
        fail(validation_error(
            file + ": is not what describe-table prints: " + parsed.error().message
        ));
    }
    return *std::move(parsed);
}

// Nothing if the table is to be there already.
std::optional<transfer::TableShape> wanted_shape(
    const ImportDataArguments& arguments, const transfer::ImportSource& source
) {
    if (!arguments.schema.empty()) {
        return read_schema(arguments.schema);
    }
    if (!arguments.create) {
        return std::nullopt;
    }
    if (!source.shape) {
        throw app::ConfigError(
            "--create: " + source.name +
            " has no table.json that says what the table is like; --schema FILE says it: the "
            "output of describe-table as .json, or a model file"
        );
    }
    return source.shape;
}

// Makes the table if it is not there and its shape is known.
void prepare_table(
    dynamo::Dynamo& dynamo,
    const std::string& table,
    const std::optional<transfer::TableShape>& wanted,
    const std::string& where
) {
    const auto found = transfer::read_table_shape(dynamo, table);
    if (found) {
        return;
    }
    if (found.error().code != ErrorCode::kResourceNotFound) {
        fail(found.error());
    }
    if (!wanted) {
        fail(validation_error(
            "there is no table " + table + " in " + where +
            "; --create makes it as the export says, --schema FILE as the file says"
        ));
    }
    value_or_fail_void(transfer::create_table(dynamo, *wanted, table));
}

void print_report(const ImportDataArguments& arguments, const transfer::ImportReport& report) {
    if (arguments.data.as_json()) {
        print_event(report.finished ? "done" : "stopped", [&](JsonWriter& json) {
            json.member("table", arguments.table);
            json.member("records", report.records);
            json.member("written", report.written);
            json.member("existing", report.existing);
            json.member("failed", report.failed);
            json.member("writeUnits", report.write_units);
            json.key("problems");
            json.begin_array();
            for (const auto& problem : report.problems) {
                json.string(problem);
            }
            json.end_array();
        });
        return;
    }
    for (const auto& problem : report.problems) {
        print(problem + "\n");
    }
    print(
        std::to_string(report.records) + " records read, " + std::to_string(report.written) +
        " items written to " + arguments.table + ", " + std::to_string(report.existing) +
        " were there already, " + std::to_string(report.failed) + " wrong\n"
    );
    if (!report.finished) {
        print("Stopped; the same command with --resume goes on.\n");
    }
}

int import_data(ImportDataArguments& arguments) {
    auto& options = arguments.options;
    options.table = arguments.table;
    options.overwrite = !arguments.no_overwrite;
    options.delimiter = delimiter_of(arguments.delimiter);
    options.max_write_units = arguments.speed.write_units;
    options.max_items = arguments.speed.items;
    options.state =
        arguments.state.empty() ? "gateleg-import-" + arguments.table + ".state" : arguments.state;
    require_state(options.state, options.resume, "import");
    TransferRun run("items", arguments.data);
    const auto source =
        value_or_fail(transfer::find_source(arguments.source, source_options(arguments)));
    value_or_fail_void(transfer::verify_source(source, run.control()));
    const auto wanted = wanted_shape(arguments, source);
    const SystemClock clock;
    app::DataStore store(
        arguments.data.location,
        wanted ? app::WhenMissing::kCreate : app::WhenMissing::kRefuse,
        clock
    );
    prepare_table(store.dynamo(), arguments.table, wanted, store.name());
    auto report = transfer::import_items(store.dynamo(), source, options, run.control());
    run.end();
    if (!report) {
        fail(validation_error(
            report.error().message + "\nWhat was read before it is in the table; " +
            options.state.string() + " has the place, from which --resume goes on."
        ));
    }
    if (report->finished && wanted) {
        value_or_fail_void(transfer::enable_ttl(store.dynamo(), *wanted, arguments.table));
    }
    print_report(arguments, *report);
    return report->finished && report->failed == 0 ? 0 : kExitLeftToDo;
}

void add_format_options(CLI::App& command, ImportDataArguments& arguments) {
    command
        .add_option(
            "--format",
            arguments.format,
            "What the files are; told by manifests, names and the first line if not given"
        )
        ->check(CLI::IsMember({"s3", "dynamodb-json", "json", "csv"}));
    command
        .add_option(
            "--compression",
            arguments.compression,
            "How the files are compressed; told by their first bytes if not given"
        )
        ->check(CLI::IsMember({"none", "gzip", "zstd"}));
    add_delimiter(command, arguments.delimiter);
    command
        .add_option(
            "--header",
            arguments.options.header,
            "Names of the columns, with commas, for CSV files whose first line is an item already"
        )
        ->type_name("NAMES")
        ->delimiter(',');
}

}  // namespace

void add_import_data(CLI::App& parent, int& exit_code) {
    const auto arguments = std::make_shared<ImportDataArguments>();
    auto* command = parent.add_subcommand(
        "data",
        "Put items from files into a table: an export of DynamoDB to S3, DynamoDB's JSON or plain "
        "JSON a line, CSV; plain, gzip or zstd. Manifests, checksums and counts of an export are "
        "verified before anything is written"
    );
    command->add_option("TABLE", arguments->table, "Name of the table")->required();
    command
        ->add_option(
            "SOURCE",
            arguments->source,
            "Folder of an export, a manifest, a folder of files or a file"
        )
        ->required();
    add_format_options(*command, *arguments);
    command->add_flag(
        "--create",
        arguments->create,
        "Make the table if it is not there, as table.json beside the manifests says"
    );
    command
        ->add_option(
            "--schema",
            arguments->schema,
            "Make the table if it is not there, as this file says: what describe-table prints "
            "(.json), or a model file"
        )
        ->type_name("FILE");
    command->add_flag(
        "--no-overwrite", arguments->no_overwrite, "Leave items whose key is there already"
    );
    command
        ->add_option(
            "--max-errors",
            arguments->options.max_errors,
            "Pass over so many records that are wrong; the next one ends the import"
        )
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000}))
        ->capture_default_str();
    command
        ->add_option(
            "--state",
            arguments->state,
            "File that keeps the place; gateleg-import-TABLE.state if not given"
        )
        ->type_name("FILE");
    command->add_flag(
        "--resume", arguments->options.resume, "Go on with an import that was broken off"
    );
    add_write_bound(*command, arguments->speed, "");
    add_rate(*command, arguments->speed);
    add_data_options(
        *command,
        arguments->data,
        "0 done, 5 stopped by Ctrl-C (--resume goes on) or records were wrong, 1 failed, 2 wrong "
        "usage."
    );
    command->callback([arguments, &exit_code] { exit_code = import_data(*arguments); });
}

}  // namespace gateleg::cli

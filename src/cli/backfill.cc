#include "model/backfill.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "app/data_store.h"
#include "app/model_file.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "model/table_apply.h"

namespace gateleg::cli {
namespace {

namespace fs = std::filesystem;

struct BackfillArguments {
    std::string file;
    std::string entity;
    DataOptions data;
    model::BackfillOptions options;
    std::optional<std::string> cursor;
};

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Whole or not at all.
Result<void> replace_file(const std::string& path, const std::string& text) {
    const auto fresh = path + ".new";
    std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
    file << text << "\n";
    file.close();
    std::error_code error;
    if (file) {
        fs::rename(fresh, path, error);
    }
    if (!file || error) {
        return validation_error(path + " cannot be written");
    }
    return {};
}

const model::Entity* find_entity(const model::Model& model, const std::string& name) {
    if (name == "all") {
        return nullptr;
    }
    const auto* entity = model.find_entity(name);
    if (entity == nullptr) {
        std::string names;
        for (const auto& one : model.entities) {
            names += ", " + one.name;
        }
        throw CLI::ValidationError("ENTITY", name + " is not in the model; it has all" + names);
    }
    return entity;
}

void print_report(
    const BackfillArguments& arguments,
    const model::Model& model,
    const model::BackfillReport& report
) {
    const auto& counts = report.position.counts;
    if (arguments.data.as_json()) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        json.key("position");
        json.raw(model::render_position(model, arguments.entity, report.position));
        json.member("dryRun", arguments.options.dry_run);
        json.key("problems");
        json.begin_array();
        for (const auto& problem : report.problems) {
            json.begin_object();
            json.key("key");
            json.raw(problem.key);
            json.member("entity", problem.entity);
            json.member("message", problem.message);
            json.end_object();
        }
        json.end_array();
        json.end_object();
        print(text + "\n");
        return;
    }
    for (const auto& problem : report.problems) {
        print(problem.entity + " " + problem.key + ": " + problem.message + "\n");
    }
    const auto* verb = arguments.options.dry_run ? "would be rewritten" : "rewritten";
    print(
        std::to_string(counts.scanned) + " items read, " + std::to_string(counts.matched) +
        " looked at, " + std::to_string(counts.changed) + " " + verb + ", " +
        std::to_string(counts.rows) + " rows " +
        (arguments.options.dry_run ? "would be written" : "written") + ", " +
        std::to_string(counts.contended) + " too busy, " + std::to_string(counts.failed) +
        " cannot be put right\n"
    );
    if (!report.position.finished) {
        print("The end of the table was not reached; the same command goes on from its cursor.\n");
    }
}

int backfill(BackfillArguments& arguments) {
    const auto model = app::load_named_model(arguments.file);
    arguments.options.entity = find_entity(*model, arguments.entity);
    model::BackfillPosition start;
    if (arguments.cursor && fs::exists(*arguments.cursor)) {
        auto parsed = model::parse_position(*model, arguments.entity, read_file(*arguments.cursor));
        if (!parsed) {
            fail(validation_error(*arguments.cursor + ": " + parsed.error().message));
        }
        start = *std::move(parsed);
    }
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kRefuse, clock);
    const auto state = value_or_fail(model::read_table_state(model->table, store.dynamo()));
    if (!state.table) {
        fail(validation_error("there is no table " + model->table.name + " in " + store.name()));
    }
    model::Shared shared(*model, store.dynamo(), clock, {});
    model::Database database(model->table, store.dynamo(), nullptr);
    Progress progress("items", state.table->item_count);
    const auto report = value_or_fail(model::run_backfill(
        shared,
        database,
        arguments.options,
        std::move(start),
        [&](const model::BackfillPosition& position) -> Result<void> {
            progress.show(position.counts.scanned);
            if (!arguments.cursor) {
                return {};
            }
            return replace_file(
                *arguments.cursor, model::render_position(*model, arguments.entity, position)
            );
        }
    ));
    if (arguments.cursor && report.position.finished) {
        fs::remove(*arguments.cursor);
    }
    print_report(arguments, *model, report);
    const auto& counts = report.position.counts;
    const bool left = !report.position.finished || counts.contended > 0 || counts.failed > 0;
    return left ? kExitLeftToDo : 0;
}

}  // namespace

void add_backfill(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<BackfillArguments>();
    auto* command = app.add_subcommand(
        "backfill",
        "Rewrite what follows from the attributes of items that exist: keys of indexes, derived "
        "attributes, rows. Run it after a model has changed, or on data that others wrote. It may "
        "run beside live writes, which always win, and be broken off and repeated."
    );
    command->add_option("FILE", arguments->file, "Model file, or name of a built-in system")
        ->required();
    command->add_option("ENTITY", arguments->entity, "Entity of the model, or all")->required();
    command->add_flag("--dry-run", arguments->options.dry_run, "Count, and change nothing");
    command
        ->add_option(
            "--cursor",
            arguments->cursor,
            "File that keeps the position: the same command goes on from there. It is gone when "
            "the "
            "end is reached"
        )
        ->type_name("FILE");
    command
        ->add_option(
            "--max-items",
            arguments->options.max_items,
            "End after about so many items, to spread the work; needs --cursor"
        )
        ->type_name("N")
        ->check(CLI::PositiveNumber)
        ->needs("--cursor");
    command
        ->add_option(
            "--page", arguments->options.page_items, "Items a page; the cursor moves by pages"
        )
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    command->add_option("--rate", arguments->options.max_rate, "The most items written in a second")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    add_data_options(
        *command,
        arguments->data,
        "0 everything is as the model says, 5 items are left (the end was not reached, or some "
        "cannot be put right), 1 failed, 2 wrong usage or model."
    );
    command->callback([arguments, &exit_code] { exit_code = backfill(*arguments); });
}

}  // namespace gateleg::cli

#include <cstdio>
#include <memory>

#include "app/data_store.h"
#include "app/model_file.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "model/table_apply.h"
#include "model/table_plan.h"

namespace gateleg::cli {
namespace {

struct TableArguments {
    std::string file;
    DataOptions data;
    model::PlanOptions plan;
};

std::string to_json(
    const model::Model& model, const std::string& store, const model::TablePlan& plan, bool applied
) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("table", model.table.name);
    json.member("store", store);
    json.member("applied", applied);
    model::append_plan_members(json, plan);
    json.end_object();
    return text + "\n";
}

std::string to_text(const model::TablePlan& plan) {
    std::string text;
    for (const auto& line : model::plan_lines(plan)) {
        text += "  " + line + "\n";
    }
    return text;
}

int plan(const TableArguments& arguments) {
    const auto model = app::load_named_model(arguments.file);
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kPretend, clock);
    const auto state = value_or_fail(model::read_table_state(model->table, store.dynamo()));
    const auto plan = model::plan_table(*model, state, arguments.plan);
    if (arguments.data.as_json()) {
        print(to_json(*model, store.name(), plan, false));
    } else if (plan.fits()) {
        print("Table " + model->table.name + " in " + store.name() + " fits the model.\n");
        print(to_text(plan));
    } else {
        print("Table " + model->table.name + " in " + store.name() + " needs changes:\n");
        print(to_text(plan));
    }
    return plan.fits() ? 0 : kExitLeftToDo;
}

int apply(const TableArguments& arguments) {
    const auto model = app::load_named_model(arguments.file);
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kCreate, clock);
    const auto state = value_or_fail(model::read_table_state(model->table, store.dynamo()));
    const auto plan = model::plan_table(*model, state, arguments.plan);
    const bool as_json = arguments.data.as_json();
    if (!plan.obstacles.empty()) {
        if (as_json) {
            print(to_json(*model, store.name(), plan, false));
        }
        std::string text = "nothing was changed:";
        for (const auto& obstacle : plan.obstacles) {
            text += "\n  " + obstacle;
        }
        fail(validation_error(text));
    }
    {
        Progress progress("waiting for", 0);
        model::ApplyHooks hooks;
        hooks.starting = [&](const model::TableChange& change) {
            if (!as_json) {
                print((change.drops ? "  - " : "  + ") + change.text + "\n");
                std::fflush(stdout);
            }
        };
        hooks.waiting = [&](const std::string& what) { progress.show(what); };
        const auto done = model::apply_plan(model->table, plan, store.dynamo(), hooks);
        if (!done) {
            fail(done.error());
        }
    }
    if (as_json) {
        print(to_json(*model, store.name(), plan, true));
    } else {
        print("Table " + model->table.name + " in " + store.name() + " fits the model.\n");
    }
    return 0;
}

CLI::App* add(
    CLI::App& app,
    const char* name,
    const char* what,
    const char* exit_codes,
    const std::shared_ptr<TableArguments>& arguments
) {
    auto* command = app.add_subcommand(name, what);
    command->add_option("FILE", arguments->file, "Model file, or name of a built-in system")
        ->required();
    command->add_flag(
        "--allow-drop",
        arguments->plan.allow_drop,
        "Also drop indexes that the model does not have, build those anew that differ, and change "
        "the attribute that items expire by"
    );
    command->add_flag(
        "--optional", arguments->plan.add_optional, "Also add indexes that the model calls optional"
    );
    add_data_options(*command, arguments->data, exit_codes);
    return command;
}

}  // namespace

void add_table_commands(CLI::App& app, int& exit_code) {
    const auto planned = std::make_shared<TableArguments>();
    add(app,
        "plan",
        "Show what `apply` would change about the table of a model: the table itself, its indexes, "
        "its time to live. Changes nothing.",
        "0 the table fits, 5 it does not yet, 1 it could not be read, 2 wrong usage or model.",
        planned)
        ->callback([planned, &exit_code] { exit_code = plan(*planned); });
    const auto applied = std::make_shared<TableArguments>();
    add(app,
        "apply",
        "Make or change the table of a model: CreateTable, one index after the other with "
        "UpdateTable, UpdateTimeToLive. Waits until the store has finished. Items are not touched: "
        "`backfill` does that.",
        "0 the table fits now, 1 it could not be changed, 2 wrong usage or model.",
        applied)
        ->callback([applied, &exit_code] { exit_code = apply(*applied); });
}

}  // namespace gateleg::cli

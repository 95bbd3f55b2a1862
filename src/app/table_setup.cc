#include "app/table_setup.h"

#include "base/log.h"
#include "model/table_apply.h"
#include "model/table_plan.h"

namespace gateleg::app {
namespace {

ConfigError failed(const model::Model& model, std::string_view what, const Error& error) {
    return ConfigError(
        model.file + ": table " + model.table.name + " " + std::string(what) + ": " + error.message
    );
}

// A remote store is not changed behind its owner's back.
void require_fit(const model::Model& model, const Config& config, const model::TablePlan& plan) {
    if (plan.fits()) {
        return;
    }
    std::string text = model.file + ": the table in " + config.store + " does not fit the model:";
    for (const auto& change : plan.changes) {
        text += "\n  needed: " + change.text;
    }
    for (const auto& obstacle : plan.obstacles) {
        text += "\n  in the way: " + obstacle;
    }
    throw ConfigError(text + "\nrun: gateleg apply " + model.file + " --endpoint " + config.store);
}

}  // namespace

void prepare_table(const model::Model& model, const Config& config, dynamo::Dynamo& dynamo) {
    const auto state = model::read_table_state(model.table, dynamo);
    if (!state) {
        throw failed(model, "cannot be described", state.error());
    }
    const auto plan = model::plan_table(model, *state);
    if (has_remote_store(config)) {
        require_fit(model, config, plan);
        return;
    }
    if (!plan.obstacles.empty()) {
        throw ConfigError(model.file + ": " + plan.obstacles.front());
    }
    model::ApplyHooks hooks;
    hooks.starting = [&](const model::TableChange& change) {
        log_info(
            "changing a table", {{"table", model.table.name}, {"change", std::string(change.text)}}
        );
    };
    if (const auto done = model::apply_plan(model.table, plan, dynamo, hooks); !done) {
        throw failed(model, "cannot be made ready", done.error());
    }
}

}  // namespace gateleg::app

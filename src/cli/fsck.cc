#include "model/fsck.h"

#include <memory>

#include "app/data_store.h"
#include "app/model_file.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "model/repair.h"

namespace gateleg::cli {
namespace {

struct FsckArguments {
    std::string file;
    DataOptions data;
    bool repair = false;
    std::size_t most = 100;
};

std::string to_json(const model::FsckReport& report, const model::RepairReport* repaired) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("scanned", report.scanned);
    json.member("found", report.found);
    if (repaired != nullptr) {
        const auto& counts = repaired->rewritten.position.counts;
        json.key("repaired");
        json.begin_object();
        json.member("items", counts.changed);
        json.member("rows", counts.rows);
        json.member("orphans", repaired->orphans_deleted);
        json.end_object();
    }
    json.key("findings");
    json.begin_array();
    for (const auto& finding : report.findings) {
        json.begin_object();
        json.member("kind", model::finding_name(finding.kind));
        json.key("key");
        json.raw(finding.key);
        json.member("entity", finding.entity);
        json.member("message", finding.message);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return text + "\n";
}

std::string to_text(const model::FsckReport& report, const model::RepairReport* repaired) {
    std::string text;
    for (const auto& finding : report.findings) {
        text += std::string(model::finding_name(finding.kind)) + ": " +
                (finding.entity.empty() ? "" : finding.entity + " ") + finding.key + ": " +
                finding.message + "\n";
    }
    const auto unlisted = report.found - static_cast<std::int64_t>(report.findings.size());
    if (unlisted > 0) {
        text += "and " + std::to_string(unlisted) + " more\n";
    }
    if (repaired != nullptr) {
        const auto& counts = repaired->rewritten.position.counts;
        text += std::to_string(counts.changed) + " items rewritten, " +
                std::to_string(counts.rows) + " rows written, " +
                std::to_string(repaired->orphans_deleted) + " orphan rows deleted\n";
    }
    return text + std::to_string(report.scanned) + " items read, " + std::to_string(report.found) +
           (repaired != nullptr ? " findings left\n" : " findings\n");
}

int fsck(const FsckArguments& arguments) {
    const auto model = app::load_named_model(arguments.file);
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kRefuse, clock);
    model::Shared shared(*model, store.dynamo(), clock, {});
    model::Database database(model->table, store.dynamo(), nullptr);
    model::RepairReport repaired;
    {
        Progress progress("", 0);
        progress.show("reading table " + model->table.name);
        if (arguments.repair) {
            repaired = value_or_fail(model::run_repair(
                shared,
                database,
                arguments.most,
                [&](std::string_view stage) { progress.show(std::string(stage)); }
            ));
        } else {
            repaired.left = value_or_fail(model::run_fsck(shared, database, arguments.most));
        }
    }
    const auto* shown = arguments.repair ? &repaired : nullptr;
    print(arguments.data.as_json() ? to_json(repaired.left, shown) : to_text(repaired.left, shown));
    return repaired.left.found == 0 ? 0 : kExitLeftToDo;
}

}  // namespace

void add_fsck(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<FsckArguments>();
    auto* command = app.add_subcommand(
        "fsck",
        "Read the whole table of a model and compare every item with what the model says: keys and "
        "derived attributes that do not follow from the attributes, rows that are missing or have "
        "no "
        "owner, values against the rules, items no entity describes. Changes nothing, unless "
        "--repair is given. An item that is written while it is read may be reported though it is "
        "right: run it again."
    );
    command->add_option("FILE", arguments->file, "Model file, or name of a built-in system")
        ->required();
    command->add_flag(
        "--repair",
        arguments->repair,
        "Rewrite stale keys, write missing rows, delete rows without an owner. Bad values, unknown "
        "items and names claimed twice are left for people to decide"
    );
    command->add_option("--most", arguments->most, "The most findings that are listed")
        ->type_name("N")
        ->capture_default_str();
    add_data_options(
        *command,
        arguments->data,
        "0 nothing is wrong (any more), 5 there are findings, 1 failed, 2 wrong usage or model."
    );
    command->callback([arguments, &exit_code] { exit_code = fsck(*arguments); });
}

}  // namespace gateleg::cli

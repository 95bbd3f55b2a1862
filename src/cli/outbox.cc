#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "app/data_store.h"
#include "app/model_file.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "model/outbox_entries.h"

namespace gateleg::cli {
namespace {

struct OutboxArguments {
    std::string file;
    DataOptions data;
    int days = 30;
    std::vector<std::string> ids;
    bool all_dead = false;
};

using Rows = std::vector<model::OutboxEntry>;

// A model's outbox, wherever it is.
struct Outbox {
    explicit Outbox(const OutboxArguments& arguments)
        : model(app::load_named_model(arguments.file)),
          store(arguments.data.location, app::WhenMissing::kRefuse, clock),
          database(model->table, store.dynamo(), nullptr),
          days(arguments.days) {}

    Rows waiting() { return value_or_fail(model::list_waiting(*model, database)); }
    Rows dead() {
        return value_or_fail(model::list_given_up(*model, database, clock.now_millis(), days));
    }

    SystemClock clock;
    std::unique_ptr<model::Model> model;
    app::DataStore store;
    model::Database database;
    int days;
};

void print_rows(const Rows& rows, bool as_json) {
    if (as_json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        json.key("rows");
        json.begin_array();
        for (const auto& row : rows) {
            json.begin_object();
            json.member("id", row.id);
            json.member("kind", row.kind);
            json.member("attempts", row.attempts);
            json.member("nextAttemptAt", row.next_attempt);
            json.member("createdAt", row.created);
            json.member("lastError", row.error);
            json.key("payload");
            json.raw(row.payload_json());
            json.end_object();
        }
        json.end_array();
        json.end_object();
        print(text + "\n");
        return;
    }
    if (!rows.empty()) {
        std::printf("%-26s  %-24s  %8s  %-24s  %s\n", "ID", "KIND", "ATTEMPTS", "CREATED", "ERROR");
    }
    for (const auto& row : rows) {
        std::printf(
            "%-26s  %-24s  %8lld  %-24s  %s\n",
            row.id.c_str(),
            row.kind.c_str(),
            static_cast<long long>(row.attempts),
            row.created.c_str(),
            row.error.c_str()
        );
    }
    std::fprintf(stderr, "%zu rows\n", rows.size());
}

int retry(const OutboxArguments& arguments) {
    Outbox outbox(arguments);
    auto rows = outbox.dead();
    std::vector<std::string> unknown;
    if (!arguments.all_dead) {
        for (auto& row : outbox.waiting()) {
            rows.push_back(std::move(row));
        }
        const std::set<std::string> wanted(arguments.ids.begin(), arguments.ids.end());
        std::erase_if(rows, [&](const auto& row) { return !wanted.contains(row.id); });
        std::copy_if(
            wanted.begin(),
            wanted.end(),
            std::back_inserter(unknown),
            [&](const auto& id) {
                return std::none_of(rows.begin(), rows.end(), [&](const auto& row) {
                    return row.id == id;
                });
            }
        );
    }
    std::int64_t made = 0;
    for (const auto& row : rows) {
        const auto now = outbox.clock.now_millis();
        made += value_or_fail(model::retry_entry(*outbox.model, outbox.database, row, now));
    }
    if (arguments.data.as_json()) {
        print("{\"retried\":" + std::to_string(made) + "}\n");
    } else {
        print(std::to_string(made) + " rows will be delivered again\n");
    }
    for (const auto& id : unknown) {
        std::fprintf(stderr, "gateleg: there is no row %s\n", id.c_str());
    }
    return unknown.empty() && made == static_cast<std::int64_t>(rows.size()) ? 0 : 1;
}

CLI::App* add(
    CLI::App& outbox,
    const char* name,
    const char* what,
    const char* exit_codes,
    const std::shared_ptr<OutboxArguments>& arguments
) {
    auto* command = outbox.add_subcommand(name, what);
    command->add_option("FILE", arguments->file, "Model file, or name of a built-in system")
        ->required();
    add_data_options(*command, arguments->data, exit_codes);
    return command;
}

void add_days(CLI::App& command, const std::shared_ptr<OutboxArguments>& arguments) {
    command.add_option("--days", arguments->days, "How many days to look back for rows given up")
        ->type_name("N")
        ->check(CLI::Range(1, 3660))
        ->capture_default_str();
}

}  // namespace

void add_outbox(CLI::App& app, int& exit_code) {
    constexpr const char* kExitCodes = "0 done, 1 failed, 2 wrong usage or model.";
    auto* outbox = app.add_subcommand(
        "outbox",
        "Mails, calls of providers and other deliveries of a system: those that wait, those that "
        "were given up, and another try"
    );
    outbox->require_subcommand(1);

    const auto listed = std::make_shared<OutboxArguments>();
    add(*outbox, "list", "List the rows that wait to be delivered, oldest first", kExitCodes, listed
    )
        ->callback([listed, &exit_code] {
            print_rows(Outbox(*listed).waiting(), listed->data.as_json());
            exit_code = 0;
        });

    const auto given_up = std::make_shared<OutboxArguments>();
    auto* dead =
        add(*outbox, "dead", "List the rows that were given up, oldest first", kExitCodes, given_up
        );
    add_days(*dead, given_up);
    dead->callback([given_up, &exit_code] {
        print_rows(Outbox(*given_up).dead(), given_up->data.as_json());
        exit_code = 0;
    });

    const auto retried = std::make_shared<OutboxArguments>();
    auto* again =
        add(*outbox,
            "retry",
            "Deliver rows again: one that waits is due at once, one that was given up waits anew",
            "0 done, 1 failed or a row was not found, 2 wrong usage or model.",
            retried);
    auto* ids = again->add_option("ID", retried->ids, "Ids of rows, as list and dead show them");
    again->add_flag("--all-dead", retried->all_dead, "Every row that was given up")->excludes(ids);
    add_days(*again, retried);
    again->callback([retried, &exit_code] {
        if (retried->ids.empty() && !retried->all_dead) {
            throw CLI::RequiredError("ID or --all-dead");
        }
        exit_code = retry(*retried);
    });
}

}  // namespace gateleg::cli

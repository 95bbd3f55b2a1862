#include <algorithm>

#include "api/console/calls.h"
#include "api/console/gate.h"
#include "api/rest/problem.h"
#include "base/json_writer.h"
#include "base/time_text.h"
#include "model/database.h"
#include "model/native.h"
#include "model/outbox_entries.h"
#include "model/outbox_table.h"
#include "model/schedule_table.h"
#include "value/json_tree.h"

namespace gateleg::api::console {
namespace {

using model::CallResult;

constexpr int kDays = 30;
constexpr int kDoneDays = 3;
constexpr std::int64_t kDayMillis = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t kMostDone = 200;

CallResult<const System*> find(const Context& context, std::string_view name) {
    const auto* system = context.find_system(name);
    if (system == nullptr) {
        return not_found("There is no such system");
    }
    return system;
}

model::Database database_of(const Context& context, const System& system) {
    return {system.runtime->model().table, context.dynamo, nullptr};
}

void write_entry(JsonWriter& json, const model::OutboxEntry& row, std::string_view status) {
    json.begin_object();
    json.member("id", row.id);
    json.member("kind", row.kind);
    json.member("status", status);
    json.member("attempts", row.attempts);
    json.member("nextAttemptAt", row.next_attempt);
    json.member("createdAt", row.created);
    json.member("lastError", row.error);
    // Not its payload: mails carry tokens that sign people in.
    json.end_object();
}

// Rows that were delivered on one of the last days, newest day first.
CallResult<Reply> list_done(const Context& context, const System& system) {
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("rows");
    json.begin_array();
    const auto now = context.clock.now_millis();
    for (int day = 0; day < kDoneDays && system.runtime->outbox().exists(); ++day) {
        GATELEG_CALL_TRY_ASSIGN(
            const auto rows,
            system.runtime->outbox().list_done(now - day * kDayMillis, "", kMostDone)
        );
        for (const auto& row : rows) {
            json.begin_object();
            json.member("id", row.id);
            json.member("kind", row.kind);
            json.member("status", "done");
            json.member("attempts", row.attempts);
            json.member("createdAt", render_rfc3339(row.created_millis));
            json.member("endedAt", render_rfc3339(row.ended_millis));
            json.member("lastError", row.last_error);
            json.end_object();
        }
    }
    json.end_array();
    json.end_object();
    return reply;
}

void write_time(JsonWriter& json, std::string_view name, std::int64_t millis) {
    json.key(name);
    millis > 0 ? json.string(render_rfc3339(millis)) : json.raw("null");
}

void write_job(
    JsonWriter& json,
    const model::Model& model,
    const model::Job& job,
    const std::optional<model::ScheduleEntry>& entry,
    std::int64_t real_now
) {
    json.begin_object();
    json.member("system", model.name);
    json.member("name", job.name);
    json.key("every");
    job.every ? json.number(*job.every) : json.raw("null");
    json.key("inputs");
    json.begin_array();
    for (const auto& input : job.inputs) {
        json.begin_object();
        json.member("name", input.attribute.name);
        json.member("type", model::attribute_type_name(input.attribute.type));
        json.member("required", input.attribute.required);
        json.end_object();
    }
    json.end_array();
    const auto last = entry.value_or(model::ScheduleEntry{});
    const bool running = !last.lease_owner.empty() && last.lease_until_millis > real_now;
    json.member(
        "state",
        !job.every                 ? "manual"
        : running                  ? "running"
        : !last.last_error.empty() ? "failed"
        : last.finished_millis > 0 ? "ok"
                                   : "waiting"
    );
    write_time(json, "nextRunAt", last.next_run_millis);
    write_time(json, "startedAt", last.started_millis);
    write_time(json, "finishedAt", last.finished_millis);
    json.member("scanned", last.scanned);
    json.member("changed", last.changed);
    json.member("skipped", last.skipped);
    json.member("failed", last.failed);
    json.member("lastError", last.last_error);
    json.end_object();
}

}  // namespace

CallReply list_outbox(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto* system, find(context, call.parameter("system")));
    const auto status = call.parameter("status");
    if (status == "done") {
        return list_done(context, *system);
    }
    if (!status.empty() && status != "pending" && status != "dead") {
        return rest::validation_failed("status", "is pending, dead or done");
    }
    auto database = database_of(context, *system);
    const auto& model = system->runtime->model();
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("rows");
    json.begin_array();
    if (status != "dead") {
        GATELEG_CALL_TRY_ASSIGN(const auto rows, model::list_waiting(model, database));
        for (const auto& row : rows) {
            write_entry(json, row, "pending");
        }
    }
    if (status != "pending") {
        GATELEG_CALL_TRY_ASSIGN(
            const auto rows,
            model::list_given_up(model, database, context.clock.now_millis(), kDays)
        );
        for (const auto& row : rows) {
            write_entry(json, row, "dead");
        }
    }
    json.end_array();
    json.end_object();
    return reply;
}

CallReply retry_outbox(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto name, body.text("system"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto id, body.text("id"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto* system, find(context, name));
    auto database = database_of(context, *system);
    const auto& model = system->runtime->model();
    const auto now = context.clock.now_millis();
    GATELEG_CALL_TRY_ASSIGN(auto rows, model::list_given_up(model, database, now, kDays));
    GATELEG_CALL_TRY_ASSIGN(auto waiting, model::list_waiting(model, database));
    rows.insert(
        rows.end(), std::make_move_iterator(waiting.begin()), std::make_move_iterator(waiting.end())
    );
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return each.id == id; });
    if (row == rows.end()) {
        return not_found("There is no such row");
    }
    GATELEG_CALL_TRY_ASSIGN(const bool made, model::retry_entry(model, database, *row, now));
    return Reply{made ? R"({"retried":true})" : R"({"retried":false})", ""};
}

CallReply list_jobs(const Context& context, const Call& /*call*/) {
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("jobs");
    json.begin_array();
    for (const auto& system : context.systems) {
        const auto& schedule = system.runtime->schedule();
        for (const auto& job : system.runtime->model().jobs) {
            std::optional<model::ScheduleEntry> entry;
            if (schedule.exists()) {
                GATELEG_CALL_TRY_ASSIGN(entry, schedule.find(job.name));
            }
            write_job(json, system.runtime->model(), job, entry, context.real_clock.now_millis());
        }
    }
    json.end_array();
    json.end_object();
    return reply;
}

CallReply run_job(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto name, body.text("system"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto wanted, body.text("job"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto* system, find(context, name));
    const auto& jobs = system->runtime->model().jobs;
    const auto job = std::find_if(jobs.begin(), jobs.end(), [&](const auto& each) {
        return each.name == wanted;
    });
    if (job == jobs.end()) {
        return not_found("There is no such job");
    }
    model::JobCall arguments;
    arguments.dry_run = body.flag_or("dryRun", false);
    if (!arguments.dry_run && call.session->read_only) {
        return read_only_error();
    }
    if (const auto cursor = body.text_or("cursor", ""); !cursor.empty()) {
        arguments.cursor = cursor;
    }
    if (const auto* given = body.find("arguments")) {
        if (const auto* map = std::get_if<value::Map>(&given->data)) {
            arguments.arguments.insert(map->begin(), map->end());
        }
    }
    const auto report =
        system->runtime->run_job(*job, arguments, model::internal_caller("console"));
    if (!report) {
        return report.error();
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("scanned", report->scanned);
    json.member("changed", report->changed);
    json.member("skipped", report->skipped);
    json.member("failed", report->failed);
    json.member("firstFailure", report->first_failure);
    json.member("done", report->done);
    json.key("cursor");
    report->cursor ? json.string(*report->cursor) : json.raw("null");
    json.end_object();
    return reply;
}

}  // namespace gateleg::api::console

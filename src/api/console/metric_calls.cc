#include <charconv>

#include "api/console/calls.h"
#include "api/rest/problem.h"
#include "base/json_writer.h"
#include "http/trace.h"

namespace gateleg::api::console {
namespace {

constexpr std::size_t kMostRequests = 2'000;
constexpr std::int64_t kNanosPerMilli = 1'000'000;

void write_point(JsonWriter& json, const metrics::Point& point) {
    json.begin_object();
    json.member("t", point.at_millis);
    json.member("requests", point.requests);
    json.member("errors", point.errors);
    json.member("faults", point.faults);
    json.member("p50", point.p50);
    json.member("p95", point.p95);
    json.member("p99", point.p99);
    json.key("byOperation");
    json.begin_object();
    for (const auto& each : point.operations) {
        json.key(each.operation);
        json.begin_object();
        json.member("n", each.count);
        json.member("p50", each.p50);
        json.member("p99", each.p99);
        json.member("errors", each.errors);
        json.end_object();
    }
    json.end_object();
    for (const auto& gauge : point.gauges) {
        if (!gauge.short_name.empty()) {
            json.member(gauge.short_name, gauge.value);
        }
    }
    json.end_object();
}

// `offset`: from the clock of traces to that of the day, both in milliseconds.
void write_request(JsonWriter& json, const metrics::RequestEntry& entry, std::int64_t offset) {
    constexpr std::array<std::string_view, 4> kStages = {"auth", "parse", "run", "write"};
    json.begin_object();
    json.member("id", entry.id.view());
    json.member("t", entry.at_nanos / kNanosPerMilli + offset);
    json.member("face", metrics::face_name(entry.face));
    json.member("operation", entry.operation);
    json.key("table");
    entry.table.empty() ? json.raw("null") : json.string(entry.table.view());
    json.member("status", entry.status);
    json.key("code");
    entry.code.empty() ? json.raw("null") : json.string(entry.code.view());
    json.member("us", entry.micros);
    json.key("stages");
    json.begin_object();
    for (std::size_t i = 0; i < kStages.size(); ++i) {
        json.member(kStages[i], entry.stages[i]);
    }
    json.end_object();
    json.member("bytesIn", entry.bytes_in);
    json.member("bytesOut", entry.bytes_out);
    json.key("trace");
    entry.trace.empty() ? json.raw("null") : json.string(entry.trace.view());
    json.end_object();
}

}  // namespace

CallReply list_metrics(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto since, call.number("since", 0, SIZE_MAX / 2));
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("now", context.real_clock.now_millis());
    json.member("step", metrics::kHistoryStepMillis);
    json.key("points");
    json.begin_array();
    for (const auto& point : context.history.points(static_cast<std::int64_t>(since))) {
        write_point(json, point);
    }
    json.end_array();
    json.end_object();
    return reply;
}

CallReply list_requests(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto limit, call.number("limit", 200, kMostRequests));
    const auto slow = call.parameter("slow");
    const bool only_slow = slow == "1" || slow == "true";
    const auto operation = call.parameter("operation");
    const auto status = call.parameter("status");
    const auto face = call.parameter("face");
    const auto fits = [&](const metrics::RequestEntry& entry) {
        const auto text = std::to_string(entry.status);
        // "404", or "4xx" for all of a kind.
        const bool status_fits =
            status.empty() || text == status ||
            (status.size() == 3 && status.substr(1) == "xx" && text.front() == status.front());
        return status_fits && (operation.empty() || entry.operation == operation) &&
               (face.empty() || metrics::face_name(entry.face) == face) &&
               (!only_slow || entry.micros >= context.slow_micros);
    };
    const auto offset = context.real_clock.now_millis() - http::Trace::now() / kNanosPerMilli;
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("slowMs", context.slow_micros / 1000);
    json.key("requests");
    json.begin_array();
    for (const auto& entry : context.requests.list(limit, fits)) {
        write_request(json, entry, offset);
    }
    json.end_array();
    json.end_object();
    return reply;
}

}  // namespace gateleg::api::console

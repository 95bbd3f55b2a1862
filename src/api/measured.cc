#include "api/measured.h"

#include <algorithm>

#include "base/ids.h"
#include "base/log.h"

namespace gateleg::api {
namespace {

constexpr std::int64_t kNanosPerMicro = 1'000;
constexpr std::string_view kTraceparent = "traceparent";
constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kRefused = "refused";

std::uint32_t to_micros(std::int64_t nanos) {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(nanos / kNanosPerMicro, 0, UINT32_MAX)
    );
}

// Names come from clients: what could not be one is not passed on.
std::string_view plain_name(std::string_view name) {
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) {
        return c < 0x20 || c == 0x7f;  // also bytes from 0x80 on: char is signed here
    });
    return odd ? std::string_view("?") : name;
}

// What each stage took; one that was not reached took nothing, and the last takes the rest.
std::array<std::uint32_t, 4> stage_times(const http::Trace& trace, std::int64_t now) {
    std::array<std::uint32_t, 4> times{};
    auto before = trace.began;
    for (std::size_t i = 0; i < http::kStages; ++i) {
        if (trace.ended[i] != 0) {
            times[i] = to_micros(trace.ended[i] - before);
            before = trace.ended[i];
        }
    }
    times[http::kStages] = to_micros(now - before);
    return times;
}

// The same trace, with an id of what this server does for it in the place of its caller's.
std::string continue_trace(std::string_view parent) {
    constexpr std::size_t kSpanAt = 36;  // behind "00-", 32 digits and "-"
    constexpr std::size_t kSpanDigits = 16;
    auto digits = random_uuid();
    std::erase(digits, '-');
    auto line = "traceparent: " + std::string(parent.substr(0, kSpanAt));
    line.append(digits, digits.size() - kSpanDigits).append(parent.substr(kSpanAt + kSpanDigits));
    return line.append("\r\n");
}

void log_slow(const metrics::RequestEntry& entry) {
    log_warn(
        "slow request",
        {{"requestId", entry.id.view()},
         {"face", metrics::face_name(entry.face)},
         {"operation", entry.operation},
         {"table", entry.table.view()},
         {"status", entry.status},
         {"code", entry.code.view()},
         {"micros", entry.micros},
         {"authMicros", entry.stages[0]},
         {"parseMicros", entry.stages[1]},
         {"runMicros", entry.stages[2]},
         {"writeMicros", entry.stages[3]},
         {"bytesIn", entry.bytes_in},
         {"bytesOut", entry.bytes_out},
         {"traceparent", entry.trace.view()}}
    );
}

}  // namespace

void Measured::handle(http::Exchange exchange) {
    auto& trace = exchange.trace();
    trace.begin();
    for (const auto& header : exchange.request().head.headers()) {
        if (header.name.size() == kTraceparent.size() &&
            http::equal_ignoring_case(header.name, kTraceparent) &&
            metrics::is_traceparent(header.value)) {
            trace.parent = header.value;
            trace.headers = continue_trace(header.value);
        }
    }
    face_.handle(std::move(exchange));
}

void Measured::count_refusal(int status) const {
    meters_.recorder.count({.face = name_, .operation = kRefused, .status = status});
}

std::optional<http::Response> Measured::refuse_early(const http::RequestHead& head) const {
    auto refused = face_.refuse_early(head);
    if (refused) {
        count_refusal(refused->status);
    }
    return refused;
}

http::Response Measured::refusal(int status, std::string_view reason) const {
    auto response = face_.refusal(status, reason);
    if (status != 500) {  // that one answers a request which on_reply() hears of
        count_refusal(response.status);
    }
    return response;
}

void Measured::on_reply(
    const http::Request& request, const http::Trace& trace, const http::Response& response
) {
    const auto now = http::Trace::now();
    const auto micros = to_micros(now - trace.began);
    metrics::RequestEntry entry;
    entry.at_nanos = now;
    entry.face = name_;
    entry.status = response.status;
    entry.operation = trace.operation.empty() ? kUnknown : trace.operation;
    entry.micros = micros;
    entry.stages = stage_times(trace, now);
    entry.bytes_in = request.head.content_length().value_or(request.body.size());
    entry.bytes_out = response.file ? response.file->bytes() : response.body.size();
    entry.id = trace.id;
    entry.table = plain_name(trace.table);
    entry.code = trace.code;
    entry.trace = trace.parent;
    meters_.recorder.count(
        {name_, entry.operation, entry.status, micros, entry.bytes_in, entry.bytes_out}
    );
    meters_.requests.add(entry);
    if (meters_.slow_micros > 0 && micros >= meters_.slow_micros) {
        log_slow(entry);
    }
}

}  // namespace gateleg::api

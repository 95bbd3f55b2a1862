#include "api/admin/face.h"

#include <simdjson.h>

#include "base/ids.h"
#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/time_text.h"
#include "metrics/exposition.h"

namespace gateleg::api::admin {
namespace {

constexpr std::string_view kIdHeader = "x-request-id: ";

http::Response json_response(int status, std::string body) {
    return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

// The error form of the systems API.
http::Response error_response(int status, std::string_view code, std::string_view message) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("error");
    json.begin_object();
    json.member("code", code);
    json.member("message", message);
    const auto id = random_request_id();
    json.member("requestId", id);
    json.end_object();
    json.end_object();
    auto response = json_response(status, std::move(body));
    response.headers = std::string(kIdHeader).append(id).append("\r\n");
    return response;
}

// The id of a reply; one that has none gets it.
std::string settle_id(http::Response& response) {
    if (response.headers.starts_with(kIdHeader)) {
        const auto end = response.headers.find('\r');
        return response.headers.substr(kIdHeader.size(), end - kIdHeader.size());
    }
    auto id = random_request_id();
    response.headers.append(kIdHeader).append(id).append("\r\n");
    return id;
}

std::string_view refusal_code(int status) {
    switch (status) {
        case 408:
            return "RequestTimeout";
        case 413:
            return "PayloadTooLarge";
        case 431:
            return "HeadersTooLarge";
        case 500:
            return "Internal";
        case 503:
            return "Unavailable";
        default:
            return "BadRequest";
    }
}

}  // namespace

Face::Face(
    std::function<Health()> health,
    MetricsOptions metrics,
    SettableClock* test_clock,
    http::HostPolicy hosts
)
    : health_(std::move(health)),
      metrics_(std::move(metrics)),
      test_clock_(test_clock),
      hosts_(std::move(hosts)) {}

std::optional<http::Response> Face::refuse_early(const http::RequestHead& head) const {
    switch (http::check_host(head, hosts_)) {
        case http::HostVerdict::kAllowed:
            return std::nullopt;
        case http::HostVerdict::kForeignHost:
            return error_response(421, "HostNotAllowed", "This server has another name");
        case http::HostVerdict::kForeignOrigin:
            return error_response(403, "CsrfRejected", "Pages of another origin are refused");
    }
    return std::nullopt;
}

http::Response Face::refusal(int status, std::string_view reason) const {
    auto response = error_response(status, refusal_code(status), reason);
    response.close = true;
    return response;
}

void Face::handle(http::Exchange exchange) {
    const auto& request = exchange.request();
    const auto path = request.head.path();
    const bool reads = request.head.method() == "GET" || request.head.method() == "HEAD";
    auto& trace = exchange.trace();
    trace.operation = path == "/metrics" ? "metrics" : "health";
    http::Response response;
    if (reads && path == "/metrics") {
        response = report_metrics(request);
    } else if (reads && (path == "/healthz" || path == "/readyz")) {
        response = report_health();
    } else if (test_clock_ != nullptr && path == "/_test/clock" && request.head.method() == "POST") {
        response = set_clock(request.body);
    } else {
        response = error_response(404, "NotFound", "There is nothing at this address");
    }
    trace.id = settle_id(response);
    exchange.reply(std::move(response));
}

http::Response Face::report_health() const {
    const auto health = health_();
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.member("status", health.ok ? "ok" : "degraded");
    if (!health.ok) {
        json.member("reason", health.reason);
    }
    json.member("durability", health.durability);
    json.end_object();
    return json_response(health.accepts_writes ? 200 : 503, std::move(body));
}

http::Response Face::report_metrics(const http::Request& request) const {
    const auto& peer = request.remote_address;
    const auto header = request.head.find("Authorization").value_or("");
    const bool has_token =
        !metrics_.token.empty() &&
        equal_in_constant_time(sha256(header), sha256("Bearer " + metrics_.token));
    const bool is_near = peer.starts_with("127.") || peer == "::1" || peer.empty();
    if (!metrics_.open && !has_token && !is_near) {
        return error_response(401, "Unauthenticated", "Send the token of GATELEG_METRICS_TOKEN");
    }
    return {
        .content_type = metrics::kExpositionType,
        .headers = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n",
        .body = metrics_.render()};
}

http::Response Face::set_clock(std::string_view body) const {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (parser.parse(body.data(), body.size(), false).get_object().get(object) !=
        simdjson::SUCCESS) {
        return error_response(400, "ValidationFailed", "The body is not a JSON object");
    }
    std::string_view text;
    if (object.at_key("now").get_string().get(text) == simdjson::SUCCESS) {
        const auto millis = parse_rfc3339_millis(text);
        if (!millis) {
            return error_response(
                400, "ValidationFailed", "now is not a time such as 2025-03-01T00:00:00Z"
            );
        }
        test_clock_->freeze_at(*millis);
    } else if (object.at_key("advance").get_string().get(text) == simdjson::SUCCESS) {
        const auto millis = parse_iso_duration_millis(text);
        if (!millis) {
            return error_response(
                400, "ValidationFailed", "advance is not a duration such as PT1H or P1DT30M"
            );
        }
        test_clock_->advance(*millis);
    } else if (object.size() == 0) {
        test_clock_->release();
    } else {
        return error_response(400, "ValidationFailed", "Give now, advance, or {}");
    }
    std::string reply;
    JsonWriter json(reply);
    json.begin_object();
    json.member("now", render_rfc3339(test_clock_->now_millis()));
    json.end_object();
    return json_response(200, std::move(reply));
}

}  // namespace gateleg::api::admin

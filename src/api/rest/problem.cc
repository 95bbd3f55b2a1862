#include "api/rest/problem.h"

#include "base/json_writer.h"
#include "value/json_tree.h"

namespace gateleg::api::rest {
namespace {

constexpr int kUnauthenticated = 401;
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;

}  // namespace

model::CallError validation_failed(std::string_view field, std::string_view message) {
    const auto sentence =
        field.empty() ? std::string(message) : std::string(field) + " " + std::string(message);
    model::CallError error{.status = 400, .code = "ValidationFailed", .message = sentence};
    if (!field.empty()) {
        error.field = field;
        error.details.emplace_back(field, message);
    }
    return error;
}

model::CallError unauthenticated(std::string message) {
    return {.status = kUnauthenticated, .code = "Unauthenticated", .message = std::move(message)};
}

model::CallError forbidden() {
    return {.status = 403, .code = "Forbidden", .message = "You have no role that may do this"};
}

model::CallError not_found() {
    return {.status = 404, .code = "NotFound", .message = "There is nothing at this address"};
}

model::CallError method_not_allowed() {
    return {
        .status = 405,
        .code = "MethodNotAllowed",
        .message = "This address does not take that method; Allow lists those it takes"};
}

model::CallError internal_failure() {
    return {.status = 500, .code = "Internal", .message = "Something went wrong on our side"};
}

model::CallError unavailable(std::string message) {
    return {.status = kUnavailable, .code = "Unavailable", .message = std::move(message)};
}

http::Response problem_response(const model::CallError& error, std::string_view request_id) {
    http::Response response{
        .status = error.status,
        .content_type = "application/json",
        .headers = common_headers(request_id)};
    if (error.status == kUnauthenticated) {
        response.headers.append("WWW-Authenticate: Bearer\r\n");
    }
    if (error.status == kTooManyRequests || error.status == kUnavailable) {
        response.headers.append("Retry-After: 1\r\n");
    }
    JsonWriter json(response.body);
    json.begin_object();
    json.key("error");
    json.begin_object();
    json.member("code", error.code);
    json.member("message", error.message);
    if (!error.field.empty()) {
        json.member("field", error.field);
    }
    if (!error.facts.empty()) {
        json.key("details");
        value::append_plain_json(json.value_sink(), value::AttributeValue{error.facts});
    } else if (!error.details.empty()) {
        json.key("details");
        json.begin_array();
        for (const auto& [field, message] : error.details) {
            json.begin_object();
            json.member("field", field);
            json.member("message", message);
            json.end_object();
        }
        json.end_array();
    }
    json.member("requestId", request_id);
    json.end_object();
    json.end_object();
    return response;
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

std::string common_headers(std::string_view request_id) {
    return "x-request-id: " + std::string(request_id) +
           "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
}

}  // namespace gateleg::api::rest

#include "api/dynamodb/respond.h"

#include <array>
#include <charconv>

#include "api/dynamodb/write_reply.h"
#include "base/crc32.h"
#include "base/ids.h"
#include "base/json_writer.h"

namespace gateleg::api::dynamodb {
namespace {

constexpr std::string_view kJson = "application/x-amz-json-1.0";

constexpr std::string_view kChecksum = "x-amz-crc32: ";

void append_checksum(std::string& headers, std::string_view body) {
    std::array<char, 16> checksum{};
    const auto end =
        std::to_chars(checksum.data(), checksum.data() + checksum.size(), crc32(body)).ptr;
    headers.append(kChecksum)
        .append(checksum.data(), static_cast<std::size_t>(end - checksum.data()))
        .append("\r\n");
}

void append_headers(std::string& headers, std::string_view id, std::string_view body) {
    headers.append("x-amzn-RequestId: ").append(id).append("\r\n");
    append_checksum(headers, body);
}

// A page on loopback may read the answer; others were refused at the gate.
void append_cors(std::string& headers, const http::RequestHead& head) {
    if (const auto origin = head.find("origin")) {
        headers.append("Access-Control-Allow-Origin: ")
            .append(*origin)
            .append(
                "\r\nVary: Origin\r\n"
                "Access-Control-Expose-Headers: x-amzn-RequestId, x-amz-crc32\r\n"
            );
    }
}

}  // namespace

void respond_json(http::Exchange exchange, std::string json) {
    auto headers = exchange.take_header_buffer();
    auto& id = exchange.trace().id;
    id = random_request_id();
    append_headers(headers, id, json);
    append_cors(headers, exchange.request().head);
    exchange.reply({
        .status = 200,
        .content_type = kJson,
        .headers = std::move(headers),
        .body = std::move(json),
    });
}

namespace {

http::Response named_error(const Error& error, std::optional<int> status, std::string_view id) {
    http::Response response{
        .status = status.value_or(http_status(error.code)),
        .content_type = kJson,
    };
    write_error(response.body, error);
    append_headers(response.headers, id, response.body);
    return response;
}

}  // namespace

http::Response error_response(const Error& error, std::optional<int> status) {
    return named_error(error, status, random_request_id());
}

void respond_error(http::Exchange exchange, const Error& error, std::optional<int> status) {
    auto& trace = exchange.trace();
    trace.id = random_request_id();
    trace.code = wire_name(error.code);
    auto response = named_error(error, status, trace.id);
    append_cors(response.headers, exchange.request().head);
    exchange.reply(std::move(response));
}

void respond_named_error(
    http::Exchange exchange, std::string_view name, const std::string& message
) {
    http::Response response{.status = 400, .content_type = kJson};
    JsonWriter json(response.body);
    json.begin_object();
    json.member("__type", "com.amazonaws.dynamodb.v20120810#" + std::string(name));
    json.member("message", message);
    json.end_object();
    auto& trace = exchange.trace();
    trace.id = random_request_id();
    trace.code = name;
    append_headers(response.headers, trace.id, response.body);
    append_cors(response.headers, exchange.request().head);
    exchange.reply(std::move(response));
}

void replace_body(http::Response& response, std::string body) {
    const auto at = response.headers.find(kChecksum);
    if (at != std::string::npos) {
        response.headers.erase(at, response.headers.find("\r\n", at) + 2 - at);
        append_checksum(response.headers, body);
    }
    response.body = std::move(body);
}

void respond_plain(
    http::Exchange exchange, int status, std::string body, std::string_view extra_headers
) {
    http::Response response{
        .status = status,
        .content_type = "text/plain; charset=utf-8",
        .headers = std::string(extra_headers),
        .body = std::move(body),
    };
    append_cors(response.headers, exchange.request().head);
    exchange.reply(std::move(response));
}

}  // namespace gateleg::api::dynamodb

#include "api/dynamodb/face.h"

#include "api/dynamodb/gunzip.h"
#include "api/dynamodb/operations.h"
#include "api/dynamodb/respond.h"
#include "api/dynamodb/stream_operations.h"
#include "api/dynamodb/tool_operations.h"
#include "api/dynamodb/transfer_operations.h"
#include "auth/sigv4.h"

namespace gateleg::api::dynamodb {
namespace {

// DynamoDB's own bound on a request, before and after decompression.
constexpr std::size_t kMaxBodyBytes = 16 << 20;

constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";
constexpr std::string_view kStreamsPrefix = "DynamoDBStreams_20120810.";

// What a browser asks before it lets a page send a signed request.
constexpr std::string_view kPreflightHeaders =
    "Access-Control-Allow-Methods: POST, OPTIONS\r\n"
    "Access-Control-Allow-Headers: authorization, content-type, x-amz-date, x-amz-target, "
    "x-amz-content-sha256, x-amz-security-token, x-amz-user-agent, amz-sdk-invocation-id, "
    "amz-sdk-request, content-encoding\r\n"
    "Access-Control-Max-Age: 600\r\n";

ErrorCode refusal_code(int status) {
    switch (status) {
        case 413:
            return ErrorCode::kRequestTooLarge;
        case 500:
            return ErrorCode::kInternal;
        case 503:
            return ErrorCode::kServiceUnavailable;
        default:
            return ErrorCode::kSerialization;
    }
}

Result<std::string> gunzip_body(std::string_view body) {
    auto inflated = gunzip(body, kMaxBodyBytes, kBodyPadding);
    if (!inflated) {
        return std::move(inflated).error();
    }
    return *std::move(inflated);
}

}  // namespace

Face::Face(dynamo::Dynamo& dynamo, const Clock& real_clock, FaceOptions options)
    : dynamo_(dynamo), real_clock_(real_clock), options_(std::move(options)) {}

std::size_t Face::max_body_bytes(const http::RequestHead& /*head*/) const {
    return kMaxBodyBytes;
}

std::optional<http::Response> Face::refuse_early(const http::RequestHead& head) const {
    switch (http::check_host(head, options_.hosts)) {
        case http::HostVerdict::kAllowed:
            return std::nullopt;
        case http::HostVerdict::kForeignHost:
            return error_response(
                {ErrorCode::kAccessDenied,
                 "This server does not answer to the host name in the request; start it with "
                 "--host NAME to allow it"},
                421
            );
        case http::HostVerdict::kForeignOrigin:
            return error_response(
                {ErrorCode::kAccessDenied, "Requests from pages of another origin are refused"}, 403
            );
    }
    return std::nullopt;
}

http::Response Face::refusal(int status, std::string_view reason) const {
    // DynamoDB has no 431: heads that are too large are bad requests like others.
    const int shown = status == 431 ? 400 : status;
    auto response = error_response({refusal_code(status), std::string(reason)}, shown);
    response.close = true;
    return response;
}

Result<std::string> Face::authenticate(const http::Request& request) const {
    if (options_.credentials == nullptr) {
        return std::string();
    }
    auth::SignedRequest signed_request{
        .method = request.head.method(),
        .target = request.head.target(),
        .headers = {},
        .body = request.body,
    };
    for (const auto& header : request.head.headers()) {
        signed_request.headers.push_back({header.name, header.value});
    }
    GATELEG_TRY_ASSIGN(
        auto identity,
        auth::verify_sigv4(
            signed_request,
            *options_.credentials,
            {.service = "dynamodb",
             .region = options_.region,
             .allow_unsigned_payload = false,
             .now_seconds = real_clock_.now_seconds()}
        )
    );
    return std::move(identity.scope);
}

void Face::handle(http::Exchange exchange) {
    const auto& request = exchange.request();
    const auto method = request.head.method();
    if (method == "OPTIONS") {
        respond_plain(std::move(exchange), 200, "", kPreflightHeaders);
        return;
    }
    if (method != "POST" && options_.like_dynamodb_local) {
        respond_named_error(
            std::move(exchange),
            "MissingAuthenticationToken",
            "Request must contain either a valid (registered) AWS access key ID or X.509 "
            "certificate."
        );
        return;
    }
    if (method == "GET" && request.head.path() == "/") {
        respond_plain(std::move(exchange), 200, "healthy: gateleg dynamodb\n");
        return;
    }
    if (method != "POST") {
        respond_error(
            std::move(exchange),
            {ErrorCode::kUnknownOperation, "The DynamoDB API takes POST requests only"},
            404
        );
        return;
    }
    auto scope = authenticate(request);
    if (options_.credentials != nullptr) {
        exchange.trace().end(http::Stage::kAuth);
    }
    if (!scope) {
        respond_error(std::move(exchange), scope.error());
        return;
    }
    const auto encoding = request.head.find("content-encoding");
    if (!encoding || *encoding == "identity") {
        const auto body = request.body;
        dispatch(std::move(exchange), body, *scope);
        return;
    }
    if (*encoding != "gzip") {
        respond_error(
            std::move(exchange),
            serialization_error("Unsupported Content-Encoding: " + std::string(*encoding))
        );
        return;
    }
    const auto body = gunzip_body(request.body);
    if (!body) {
        respond_error(std::move(exchange), body.error());
        return;
    }
    dispatch(
        std::move(exchange), std::string_view(*body).substr(0, body->size() - kBodyPadding), *scope
    );
}

void Face::dispatch(http::Exchange exchange, std::string_view body, std::string_view scope) {
    const auto target = exchange.request().head.find("x-amz-target").value_or("");
    if (target.starts_with(kStreamsPrefix) && options_.streams != nullptr) {
        const auto* operation = find_stream_operation(target.substr(kStreamsPrefix.size()));
        run(operation, *options_.streams, std::move(exchange), body, scope);
        return;
    }
    const auto name = target.starts_with(kTargetPrefix) ? target.substr(kTargetPrefix.size()) : "";
    const auto* operation = find_operation(name);
    if (operation == nullptr && options_.transfers != nullptr) {
        if (const auto* transfer = find_transfer_operation(name)) {
            run(transfer, *options_.transfers, std::move(exchange), body, scope);
            return;
        }
    }
    if (const auto why = operation == nullptr ? why_missing(name) : ""; !why.empty()) {
        respond_error(std::move(exchange), {ErrorCode::kUnknownOperation, std::string(why)});
        return;
    }
    if (operation == nullptr && options_.settings != nullptr) {
        const auto* tool = find_tool_operation(name);
        run(tool, *options_.settings, std::move(exchange), body, scope);
        return;
    }
    run(operation, dynamo_, std::move(exchange), body, scope);
}

template <class Operation, class Target>
void Face::run(
    const Operation* operation,
    Target& target,
    http::Exchange exchange,
    std::string_view body,
    std::string_view scope
) {
    if (operation == nullptr) {
        respond_error(std::move(exchange), {ErrorCode::kUnknownOperation, ""});
        return;
    }
    exchange.trace().operation = operation->name;
    bool reads_only = operation->reads_only;
    if constexpr (requires { operation->body_reads_only; }) {
        reads_only = reads_only ||
                     (operation->body_reads_only != nullptr && operation->body_reads_only(body));
    }
    if (!scope_allows(scope, reads_only)) {
        respond_error(
            std::move(exchange),
            {ErrorCode::kAccessDenied,
             "The access key is not allowed to call " + std::string(operation->name)}
        );
        return;
    }
    operation->run(target, body, std::move(exchange));
}

}  // namespace gateleg::api::dynamodb

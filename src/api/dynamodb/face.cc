#include "api/dynamodb/face.h"

#include "api/dynamodb/backup_operations.h"
#include "api/dynamodb/gunzip.h"
#include "api/dynamodb/local_words.h"
#include "api/dynamodb/operations.h"
#include "api/dynamodb/respond.h"
#include "api/dynamodb/stream_operations.h"
#include "api/dynamodb/tool_operations.h"
#include "api/dynamodb/transfer_operations.h"

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

// An operation that a store over the network may know. It may do anything to any table.
constexpr Policy kUnknownPolicy{auth::Action::kAdmin, touches::every_table};

struct ForwardedOperation {
    std::string_view name;  // a literal: it is counted by
    Policy policy;
    std::string_view target;

    void run(dynamo::StoreCalls& store, std::string_view body, http::Exchange exchange) const {
        dynamo::ForwardedRequest request{
            std::string(target), std::string(body), !only_reads(policy, name, body)};
        exchange.trace().end(http::Stage::kParse);
        store.forward(
            std::move(request),
            [exchange = std::move(exchange)](Result<dynamo::ForwardedReply> reply) mutable {
                exchange.trace().end(http::Stage::kRun);
                if (reply) {
                    respond_json(std::move(exchange), std::move((*reply).json));
                } else {
                    respond_error(std::move(exchange), reply.error());
                }
            }
        );
    }
};

// What a target names, of what this face knows.
struct Known {
    const Operation* operation = nullptr;
    const BackupOperation* backup = nullptr;
    const TransferOperation* transfer = nullptr;
    const ToolOperation* tool = nullptr;
    const StreamOperation* stream = nullptr;
};

Known find_known(std::string_view target) {
    if (target.starts_with(kStreamsPrefix)) {
        return {.stream = find_stream_operation(target.substr(kStreamsPrefix.size()))};
    }
    if (!target.starts_with(kTargetPrefix)) {
        return {};
    }
    const auto name = target.substr(kTargetPrefix.size());
    if (const auto* operation = find_operation(name)) {
        return {.operation = operation};
    }
    return {
        .backup = find_backup_operation(name),
        .transfer = find_transfer_operation(name),
        .tool = find_tool_operation(name)};
}

ForwardedOperation forwarded(const Known& known, std::string_view target) {
    const auto as = [&](const auto& operation) {
        return ForwardedOperation{operation.name, operation.policy, target};
    };
    return known.backup != nullptr     ? as(*known.backup)
           : known.transfer != nullptr ? as(*known.transfer)
           : known.tool != nullptr     ? as(*known.tool)
           : known.stream != nullptr   ? as(*known.stream)
                                       : ForwardedOperation{"Forwarded", kUnknownPolicy, target};
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

Result<std::optional<auth::Identity>> Face::authenticate(const http::Request& request) const {
    const auto credentials = options_.keys != nullptr ? options_.keys->gate() : nullptr;
    if (credentials == nullptr) {
        return std::optional<auth::Identity>();
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
            *credentials,
            {.service = "dynamodb",
             .region = options_.region,
             .allow_unsigned_payload = false,
             .now_seconds = real_clock_.now_seconds()}
        )
    );
    return std::optional(std::move(identity));
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
    const auto caller = authenticate(request);
    if (!caller) {
        exchange.trace().end(http::Stage::kAuth);
        respond_error(std::move(exchange), caller.error());
        return;
    }
    if (*caller) {
        exchange.trace().end(http::Stage::kAuth);
    }
    const auto encoding = request.head.find("content-encoding");
    if (!encoding || *encoding == "identity") {
        const auto body = request.body;
        dispatch(std::move(exchange), body, *caller);
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
        std::move(exchange), std::string_view(*body).substr(0, body->size() - kBodyPadding), *caller
    );
}

void Face::dispatch(
    http::Exchange exchange, std::string_view body, const std::optional<auth::Identity>& caller
) {
    const auto target = exchange.request().head.find("x-amz-target").value_or("");
    const auto known = find_known(target);
    const auto& [operation, backup, transfer, tool, stream] = known;
    const bool is_ours = target.starts_with(kTargetPrefix) || target.starts_with(kStreamsPrefix);
    std::optional<std::string> rewritten;
    if (options_.like_dynamodb_local && operation != nullptr) {
        const bool is_transaction = operation->name == "TransactWriteItems";
        exchange = in_local_words(
            std::move(exchange), is_transaction ? condition_checks(body) : std::vector<bool>()
        );
        if (operation->name == "CreateTable") {
            rewritten = without_overlooked_definitions(body);
        }
        if (rewritten) {
            body = std::string_view(*rewritten).substr(0, rewritten->size() - kBodyPadding);
        }
    }
    if (options_.store != nullptr && is_ours && operation == nullptr) {
        run(forwarded(known, target), *options_.store, std::move(exchange), body, caller);
    } else if (operation != nullptr) {
        run(*operation, dynamo_, std::move(exchange), body, caller);
    } else if (backup != nullptr && options_.backups != nullptr) {
        run(*backup, *options_.backups, std::move(exchange), body, caller);
    } else if (transfer != nullptr && options_.transfers != nullptr) {
        run(*transfer, *options_.transfers, std::move(exchange), body, caller);
    } else if (tool != nullptr && options_.settings != nullptr) {
        run(*tool, *options_.settings, std::move(exchange), body, caller);
    } else if (stream != nullptr && options_.streams != nullptr) {
        run(*stream, *options_.streams, std::move(exchange), body, caller);
    } else {
        const auto name = target.substr(std::min(kTargetPrefix.size(), target.size()));
        respond_error(
            std::move(exchange), {ErrorCode::kUnknownOperation, std::string(why_missing(name))}
        );
    }
}

template <class Operation, class Target>
void Face::run(
    const Operation& operation,
    Target& target,
    http::Exchange exchange,
    std::string_view body,
    const std::optional<auth::Identity>& caller
) {
    exchange.trace().operation = operation.name;
    if (caller) {
        const auto allowed =
            check_access(*caller, options_.region, operation.policy, operation.name, body);
        if (!allowed) {
            respond_error(std::move(exchange), allowed.error());
            return;
        }
    }
    operation.run(target, body, std::move(exchange));
}

}  // namespace gateleg::api::dynamodb

#include "api/s3/face.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/s3/cors.h"
#include "base/ids.h"
#include "base/log.h"
#include "objects/errors.h"

namespace gateleg::api::s3 {
namespace {

// Requests that wait for a worker; more are told to slow down.
constexpr std::size_t kMaxWaiting = 4096;
// Bodies under way at once. Each holds one piece in memory.
constexpr int kMaxBodies = 1024;
// Signatures of chunks come on top of the object itself.
constexpr std::size_t kMaxStreamedBytes = objects::kMaxPutBytes + objects::kMaxPutBytes / 32;
constexpr std::size_t kMaxOtherBytes = std::size_t{9} << 20;

Error slow_down() {
    return auth::s3_error(503, "SlowDown", "Please reduce your request rate.");
}

std::vector<std::string> header_names(std::string_view list) {
    std::vector<std::string> names;
    std::string name;
    for (const char c : std::string(list) + ",") {
        if (c == ',') {
            if (!name.empty()) {
                names.push_back(std::move(name));
            }
            name.clear();
        } else if (c != ' ' && c != '\t') {
            name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
        }
    }
    return names;
}

bool has_body(const http::RequestHead& head) {
    return head.chunked() || head.content_length().value_or(0) != 0;
}

// The name that an error has on the wire; empty for a fault of ours.
std::string_view code_of(const Error& error) {
    if (const auto* detail = auth::s3_detail(error)) {
        return detail->code;
    }
    const auto reason = objects::reason_of(error);
    return reason ? objects::s3_code(*reason) : std::string_view("InternalError");
}

Error refusal_error(int status, std::string_view reason) {
    switch (status) {
        case 408:
            return auth::s3_error(400, "RequestTimeout", std::string(reason));
        case 413:
            return objects::object_error(objects::Reason::kEntityTooLarge);
        case 500:
            return internal_error(reason);
        case 503:
            return slow_down();
        case 431:
            return auth::s3_error(400, "RequestHeaderSectionTooLarge", std::string(reason));
        default:
            return auth::s3_error(status, "InvalidRequest", std::string(reason));
    }
}

}  // namespace

Face::Face(
    objects::ObjectStore& store,
    const Clock& real_clock,
    const Clock& clock_in_force,
    FaceOptions options
)
    : context_{store, options.region},
      real_clock_(real_clock),
      clock_in_force_(clock_in_force),
      options_(std::move(options)),
      pool_(options_.workers, kMaxWaiting) {}

std::size_t Face::max_body_bytes(const http::RequestHead& head) const {
    return head.method() == "PUT" ? kMaxStreamedBytes : kMaxOtherBytes;
}

bool Face::streams_body(const http::RequestHead& /*head*/) const {
    return true;
}

// Origins are judged later, by the bucket's own rules.
std::optional<http::Response> Face::refuse_early(const http::RequestHead& head) const {
    const auto host = head.find("host");
    const bool allowed = host ? http::is_allowed_host(*host, options_.hosts) ||
                                    bucket_of_host(*host, options_.hosts).has_value()
                              : head.minor_version() == 0;
    if (allowed) {
        return std::nullopt;
    }
    return error_response(
        auth::s3_error(
            421,
            "AccessDenied",
            "This server does not answer to the host name in the request; start it with --host "
            "NAME to allow it"
        ),
        head.path(),
        random_request_id()
    );
}

http::Response Face::refusal(int status, std::string_view reason) const {
    auto response = error_response(refusal_error(status, reason), "", random_request_id());
    response.close = true;
    return response;
}

Result<const Operation*> Face::admit(Call& call) const {
    const auto& head = call.head();
    auth::SignedRequest request{
        .method = head.method(), .target = head.target(), .headers = {}, .body = {}};
    for (const auto& header : head.headers()) {
        request.headers.push_back({header.name, header.value});
    }
    const auto& own = context_.store.own_key();
    const auto host = head.find("host");
    const auto host_bucket = host ? bucket_of_host(*host, options_.hosts) : std::nullopt;
    const auto credentials = options_.keys != nullptr ? options_.keys->gate() : nullptr;
    GATELEG_TRY_ASSIGN(
        call.signature,
        auth::verify_s3(
            request,
            {.credentials = credentials.get(),
             .own = {own.access_key_id, own.secret_access_key},
             .allow_anonymous = options_.anonymous && credentials == nullptr,
             .region = options_.region,
             .host_bucket = host_bucket ? std::string_view(*host_bucket) : std::string_view(),
             .real_seconds = real_clock_.now_seconds(),
             .now_seconds = clock_in_force_.now_seconds()}
        )
    );
    GATELEG_TRY_ASSIGN(const auto* operation, find_operation(head, call.target));
    GATELEG_TRY(check_access(call, *operation));
    // The signature says what the body is: without one it must be empty.
    if (!has_body(head) && call.signature.payload_sha256 &&
        *call.signature.payload_sha256 != sha256("")) {
        return objects::object_error(objects::Reason::kPayloadMismatch);
    }
    return operation;
}

void Face::handle(http::Exchange exchange) {
    auto call = std::make_shared<Call>(std::move(exchange));
    call->request_id = random_request_id();
    call->exchange.trace().id = call->request_id;
    call->exchange.trace().operation = "unknown";
    auto target = read_target(call->head(), options_.hosts);
    if (!target) {
        answer(*call, target.error());
        return;
    }
    call->target = *std::move(target);
    call->exchange.trace().table = call->target.bucket;
    if (call->head().method() == "OPTIONS") {
        preflight(call);
        return;
    }
    const auto operation = admit(*call);
    call->exchange.trace().end(http::Stage::kAuth);
    if (!operation) {
        // A page may read why it was refused, if it may talk to the bucket at all.
        if (call->head().find("origin")) {
            submit(call, [this, call, error = operation.error()] {
                const auto admitted = admit_page(*call);
                answer(*call, admitted ? error : admitted.error());
            });
        } else {
            answer(*call, operation.error());
        }
        return;
    }
    call->exchange.trace().operation = (*operation)->name;
    run(std::move(call), **operation);
}

void Face::run(std::shared_ptr<Call> call, const Operation& operation) {
    if (operation.body != BodyUse::kNone) {
        if (bodies_.load(std::memory_order_relaxed) >= kMaxBodies) {
            answer(*call, slow_down());
            return;
        }
        Desk& desk = *this;
        std::make_shared<Receiver>(desk, std::move(call), operation)->start();
        return;
    }
    submit(call, [this, call, &operation] {
        const auto admitted = admit_page(*call);
        answer(*call, admitted ? operation.run(context_, *call, {}) : admitted.error());
    });
}

void Face::preflight(const std::shared_ptr<Call>& call) {
    submit(call, [this, call] {
        PageRequest page;
        page.origin = call->header("origin");
        page.method = call->header("access-control-request-method");
        page.wanted_headers = header_names(call->header("access-control-request-headers"));
        if (page.origin.empty() || page.method.empty()) {
            answer(
                *call,
                auth::s3_error(
                    400, "BadRequest", "Insufficient information. Origin request header needed."
                )
            );
            return;
        }
        auto lines = allow_page(context_.store, options_.hosts, call->target.bucket, page, true);
        if (!lines) {
            answer(*call, lines.error());
            return;
        }
        call->cors = *std::move(lines);
        answer(*call, empty_response());
    });
}

Result<void> Face::admit_page(Call& call) {
    const auto origin = call.head().find("origin");
    if (!origin) {
        return {};
    }
    const PageRequest page{std::string(*origin), std::string(call.head().method()), {}};
    GATELEG_TRY_ASSIGN(
        call.cors, allow_page(context_.store, options_.hosts, call.target.bucket, page, false)
    );
    return {};
}

void Face::submit(std::shared_ptr<Call> call, UniqueFunction<void()> job) {
    UniqueFunction<void()> guarded = [call, job = std::move(job)]() mutable {
        try {
            job();
        } catch (const std::exception& thrown) {
            // The exchange answers 500 when the call goes, if it was not answered before.
            log_error("S3 operation threw", {{"what", thrown.what()}});
        }
    };
    if (!pool_.submit(guarded)) {
        answer(*call, slow_down());
    }
}

void Face::answer(Call& call, Answer answer) {
    auto& trace = call.exchange.trace();
    trace.end(http::Stage::kRun);
    if (!answer) {
        trace.code = code_of(answer.error());
    }
    auto response = answer ? *std::move(answer)
                           : error_response(answer.error(), call.head().path(), call.request_id);
    add_header(response.headers, "x-amz-request-id", call.request_id);
    add_header(response.headers, "Date", render_http_date(real_clock_.now_millis()));
    response.headers.append(call.cors);
    auto exchange = std::move(call.exchange);
    exchange.reply(std::move(response));
}

}  // namespace gateleg::api::s3

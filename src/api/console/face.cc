#include "api/console/face.h"

#include <array>

#include "api/console/assets.h"
#include "api/console/calls.h"
#include "api/dynamodb/backup_operations.h"
#include "api/dynamodb/operations.h"
#include "api/dynamodb/stream_operations.h"
#include "api/rest/problem.h"
#include "base/ids.h"
#include "base/json_writer.h"
#include "base/log.h"

namespace gateleg::api::console {
namespace {

using model::CallError;
using model::CallResult;

constexpr std::string_view kApi = "/_/api/";
constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";
constexpr std::string_view kStreamsPrefix = "DynamoDBStreams_20120810.";
// DynamoDB's own bound, and one for all else.
constexpr std::size_t kMaxDynamoBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxBodyBytes = std::size_t{2} << 20;
constexpr std::size_t kWorkers = 8;
constexpr std::size_t kMaxQueued = 256;

http::Response json_response(Reply reply, std::string_view id) {
    return {
        .content_type = "application/json",
        .headers = rest::common_headers(id) + reply.headers,
        .body = std::move(reply.json)};
}

// Of a page: what calls answer with has its id from elsewhere.
std::string id_line(http::Exchange& exchange) {
    exchange.trace().id = random_request_id();
    return "x-request-id: " + exchange.trace().id + "\r\n";
}

CallError foreign(http::HostVerdict verdict) {
    if (verdict == http::HostVerdict::kForeignHost) {
        return {
            .status = 421,
            .code = "HostNotAllowed",
            .message = "This server does not answer to that name"};
    }
    return {
        .status = 403,
        .code = "CsrfRejected",
        .message = "Requests from pages of another origin are refused"};
}

model::RequestFacts facts_of(const http::Request& request) {
    model::RequestFacts facts{
        .remote_address = std::string(request.remote_address), .tls = request.tls};
    for (const auto& header : request.head.headers()) {
        facts.headers.emplace_back(header.name, header.value);
    }
    return facts;
}

}  // namespace

const std::vector<Face::Route>& Face::routes() {
    using enum Effect;
    static const std::vector<Route> kRoutes = {
        {"console.login", "POST", "/_/api/login", kReads, &Face::log_in},
        {"console.logout", "POST", "/_/api/logout", kReads, &Face::log_out},
        {"console.readOnly", "POST", "/_/api/read-only", kReads, &Face::set_read_only},
        {"console.models", "GET", "/_/api/models", kReads, &Face::models},
        {"console.modelText",
         "GET",
         "/_/api/models/{name}/text",
         kReads,
         &Face::with_context<console::model_text>},
        {"console.check",
         "POST",
         "/_/api/models/check",
         kReads,
         &Face::with_context<console::check_model>},
        {"console.plan",
         "POST",
         "/_/api/models/{name}/plan",
         kReads,
         &Face::with_context<console::plan_model>},
        {"console.backfill",
         "POST",
         "/_/api/models/{name}/backfill",
         kDecidesItself,
         &Face::with_context<console::backfill_model>},
        {"console.explain",
         "POST",
         "/_/api/explain",
         kReads,
         &Face::with_context<console::explain>},
        {"console.partitions",
         "GET",
         "/_/api/partitions",
         kReads,
         &Face::with_context<console::list_partitions>},
        {"console.hotKeys",
         "GET",
         "/_/api/hot-keys",
         kReads,
         &Face::with_context<console::list_hot_keys>},
        {"console.metrics",
         "GET",
         "/_/api/metrics",
         kReads,
         &Face::with_context<console::list_metrics>},
        {"console.requests",
         "GET",
         "/_/api/requests",
         kReads,
         &Face::with_context<console::list_requests>},
        // Answered by itself, see tail.cc: its reply has no end.
        {"console.tail", "GET", "/_/api/tail", kReads, nullptr},
        {"console.keys", "GET", "/_/api/keys", kReads, &Face::with_context<console::list_keys>},
        {"console.createKey",
         "POST",
         "/_/api/keys",
         kChanges,
         &Face::with_context<console::create_key>},
        {"console.revokeKey",
         "DELETE",
         "/_/api/keys",
         kChanges,
         &Face::with_context<console::revoke_key>},
        {"console.outbox",
         "GET",
         "/_/api/outbox",
         kReads,
         &Face::with_context<console::list_outbox>},
        {"console.retry",
         "POST",
         "/_/api/outbox/retry",
         kChanges,
         &Face::with_context<console::retry_outbox>},
        {"console.jobs", "GET", "/_/api/jobs", kReads, &Face::with_context<console::list_jobs>},
        {"console.runJob",
         "POST",
         "/_/api/jobs/run",
         kDecidesItself,
         &Face::with_context<console::run_job>},
        {"console.buckets",
         "GET",
         "/_/api/objects",
         kReads,
         &Face::with_context<console::list_buckets>},
        {"console.objects",
         "GET",
         "/_/api/objects/{bucket}",
         kReads,
         &Face::with_context<console::list_objects>},
        {"console.presign",
         "POST",
         "/_/api/objects/{bucket}/presign",
         kDecidesItself,
         &Face::with_context<console::presign_object>},
        {"console.deleteObject",
         "DELETE",
         "/_/api/objects/{bucket}",
         kChanges,
         &Face::with_context<console::delete_object>},
    };
    return kRoutes;
}

void Face::reply_error(http::Exchange& exchange, const CallError& error, std::string_view extra) {
    auto id = random_request_id();
    auto& trace = exchange.trace();
    trace.code = error.code;
    trace.id = id;
    auto response = rest::problem_response(error, id);
    response.headers.append(extra);
    exchange.reply(std::move(response));
}

Face::Face(Context context, Sessions& sessions, const Gate& gate, http::HostPolicy hosts)
    : context_(std::move(context)),
      sessions_(sessions),
      gate_(gate),
      hosts_(std::move(hosts)),
      workers_(kWorkers, kMaxQueued) {
    for (std::size_t i = 0; i < routes().size(); ++i) {
        const auto added = router_.add(routes()[i].method, routes()[i].path, {}, i);
        static_cast<void>(added);  // they are all different
    }
    set_urls({});
}

Face::~Face() = default;

bool Face::owns(std::string_view path) {
    return path == "/" || path == "/index.html" || path == "/favicon.svg" ||
           path.starts_with("/assets/") || path.starts_with("/_/");
}

void Face::set_urls(Urls urls) {
    // Pictures and uploads go straight to the S3 API, which is another origin.
    const auto objects = urls.s3.empty() ? std::string() : " " + urls.s3;
    policy_ =
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        "connect-src 'self'" +
        objects + "; img-src 'self' data: blob:" + objects + "; media-src 'self' blob:" + objects +
        "; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
    context_.urls = std::move(urls);
}

std::size_t Face::max_body_bytes(const http::RequestHead& head) const {
    return head.path() == "/_/api/dynamodb" ? kMaxDynamoBytes : kMaxBodyBytes;
}

std::optional<http::Response> Face::refuse_early(const http::RequestHead& head) const {
    const auto verdict = http::check_host(head, hosts_);
    if (verdict == http::HostVerdict::kAllowed) {
        return std::nullopt;
    }
    return rest::problem_response(foreign(verdict), random_request_id());
}

http::Response Face::refusal(int status, std::string_view reason) const {
    auto response = rest::problem_response(
        {.status = status,
         .code = std::string(rest::refusal_code(status)),
         .message = std::string(reason)},
        random_request_id()
    );
    response.close = true;
    return response;
}

void Face::handle(http::Exchange exchange) {
    const auto path = exchange.request().head.path();
    if (path.starts_with(kApi)) {
        path == "/_/api/session" ? answer_session(std::move(exchange))
                                 : answer_call(std::move(exchange));
    } else if (path == "/_/login") {
        answer_login_link(std::move(exchange));
    } else {
        answer_page(std::move(exchange));
    }
}

void Face::answer_page(http::Exchange exchange) {
    const auto& head = exchange.request().head;
    exchange.trace().operation = "console.page";
    if (head.method() != "GET" && head.method() != "HEAD") {
        reply_error(exchange, rest::method_not_allowed(), "Allow: GET, HEAD\r\n");
        return;
    }
    auto response = serve_asset(head, policy_);
    response.headers.append(id_line(exchange));
    exchange.reply(std::move(response));
}

void Face::answer_login_link(http::Exchange exchange) {
    const auto& request = exchange.request();
    const auto& head = request.head;
    exchange.trace().operation = "console.link";
    if (head.method() != "GET") {  // HEAD is what previews send: it must not use the link up
        reply_error(exchange, rest::method_not_allowed(), "Allow: GET\r\n");
        return;
    }
    const auto query = rest::parse_query(head.query());
    const auto token = query ? query->find("token") : rest::QueryParameters::const_iterator();
    const bool used = query && token != query->end() && sessions_.use_link(token->second);
    if (!used && !gate_.find(head)) {
        auto page = plain_page(
            403,
            "This link does not sign in",
            "It was used before, has ended, or is not whole. <code>gateleg console --data "
            "DIR</code> prints a fresh one, as does a new start of the server.",
            policy_
        );
        page.headers.append(id_line(exchange));
        exchange.reply(std::move(page));
        return;
    }
    http::Response response{
        .status = 303,
        .headers = page_headers(policy_) + "Location: /\r\nCache-Control: no-store\r\n" +
                   id_line(exchange)};
    if (used) {
        const auto opened = sessions_.open("console");
        response.headers.append("Set-Cookie: ")
            .append(cookie_line(opened.cookie, request.tls))
            .append("\r\n");
        log_info("signed in to the console by link", {{"from", request.remote_address}});
    }
    exchange.reply(std::move(response));
}

void Face::answer_session(http::Exchange exchange) {
    const auto& head = exchange.request().head;
    exchange.trace().operation = "console.session";
    if (head.method() != "GET" && head.method() != "HEAD") {
        reply_error(exchange, rest::method_not_allowed(), "Allow: GET, HEAD\r\n");
        return;
    }
    if (const auto refused = gate_.refuse_origin(head)) {
        reply_error(exchange, *refused);
        return;
    }
    const auto session = gate_.find(head);
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("signedIn", session != nullptr);
    json.member("version", context_.version);
    if (session) {
        json.member("name", session->name);
        json.member("csrf", session->csrf);
        json.member("expires", session->expires_millis);
        json.member("readOnly", session->read_only.load());
        json.member("store", context_.store);
        const auto& url = context_.urls.http;
        json.member("instance", url.substr(std::min(url.size(), url.find("//") + 2)));
        json.key("urls");
        json.begin_object();
        const std::array<std::pair<std::string_view, const std::string*>, 3> urls = {
            {{"dynamodb", &context_.urls.dynamodb},
             {"http", &context_.urls.http},
             {"s3", &context_.urls.s3}}};
        for (const auto& [name, text] : urls) {
            json.key(name);
            text->empty() ? json.raw("null") : json.string(*text);
        }
        json.end_object();
        json.member("region", context_.region);
        json.key("systems");
        json.begin_array();
        for (const auto& system : context_.systems) {
            json.string(system.runtime->model().name);
        }
        json.end_array();
        json.member("testClock", context_.test_clock);
    }
    json.end_object();
    const auto id = random_request_id();
    exchange.trace().id = id;
    exchange.reply(json_response(std::move(reply), id));
}

std::optional<CallError> Face::pass_gate(
    const http::RequestHead& head, std::shared_ptr<Session>& session
) const {
    if (auto refused = gate_.refuse_origin(head)) {
        return refused;
    }
    session = gate_.find(head);
    if (!session) {
        return rest::unauthenticated("Sign in to the console first");
    }
    return gate_.refuse_csrf(head, *session);
}

void Face::answer_call(http::Exchange exchange) {
    const auto& request = exchange.request();
    const auto& head = request.head;
    Call call;
    const bool signs_in = head.path() == "/_/api/login" && head.method() == "POST";
    if (auto refused = signs_in ? gate_.refuse_origin(head) : pass_gate(head, call.session)) {
        exchange.trace().operation = "console.refused";
        reply_error(exchange, *refused);
        return;
    }
    exchange.trace().end(http::Stage::kAuth);
    if (head.path() == "/_/api/dynamodb" && head.method() == "POST") {
        answer_dynamodb(std::move(exchange), *call.session);
        return;
    }
    exchange.trace().operation = "console.unknown";
    const auto segments = rest::split_path(head.path());
    auto query = rest::parse_query(head.query());
    if (!segments || !query) {
        reply_error(exchange, segments ? query.error() : rest::not_found());
        return;
    }
    const auto method = head.method() == "HEAD" ? std::string_view("GET") : head.method();
    auto match = router_.find(method, *segments, {});
    if (!match.target) {
        reply_error(
            exchange, match.allowed.empty() ? rest::not_found() : rest::method_not_allowed()
        );
        return;
    }
    const auto& route = routes()[*match.target];
    exchange.trace().operation = route.operation;
    if (route.effect.effect == Effect::kChanges && call.session->read_only) {
        reply_error(exchange, read_only_error());
        return;
    }
    call.variables = std::move(match.variables);
    call.query = *std::move(query);
    call.body = request.body;
    call.facts = facts_of(request);
    exchange.trace().end(http::Stage::kParse);
    if (route.function == nullptr) {
        answer_tail(std::move(exchange), std::move(call));
        return;
    }
    run(std::move(exchange), route, std::move(call));
}

void Face::answer_dynamodb(http::Exchange exchange, const Session& session) {
    const auto& request = exchange.request();
    const auto target = request.head.find("x-amz-target").value_or("");
    const auto body = request.body;
    if (target.starts_with(kStreamsPrefix) && context_.streams != nullptr) {
        const auto name = target.substr(kStreamsPrefix.size());
        if (const auto* operation = dynamodb::find_stream_operation(name)) {
            exchange.trace().operation = operation->name;
            operation->run(*context_.streams, body, std::move(exchange));
            return;
        }
    }
    const auto* backup = target.starts_with(kTargetPrefix)
                             ? dynamodb::find_backup_operation(target.substr(kTargetPrefix.size()))
                             : nullptr;
    if (backup != nullptr) {
        exchange.trace().operation = backup->name;
        if (context_.backups == nullptr) {
            reply_error(
                exchange, not_available("The store behind this server keeps its own backups")
            );
        } else if (session.read_only && !dynamodb::only_reads(backup->policy, backup->name, body)) {
            reply_error(exchange, read_only_error());
        } else {
            backup->run(*context_.backups, body, std::move(exchange));
        }
        return;
    }
    const auto* operation = target.starts_with(kTargetPrefix)
                                ? dynamodb::find_operation(target.substr(kTargetPrefix.size()))
                                : nullptr;
    exchange.trace().operation = operation != nullptr ? operation->name : "console.unknown";
    if (operation == nullptr) {
        reply_error(
            exchange, rest::validation_failed("X-Amz-Target", "names no operation of DynamoDB")
        );
        return;
    }
    if (session.read_only && !dynamodb::only_reads(operation->policy, operation->name, body)) {
        reply_error(exchange, read_only_error());
        return;
    }
    operation->run(context_.dynamo, body, std::move(exchange));
}

void Face::run(http::Exchange exchange, const Route& route, Call call) {
    struct Travelling {
        http::Exchange exchange;
        Call call;
    };
    const auto travelling =
        std::make_shared<Travelling>(Travelling{std::move(exchange), std::move(call)});
    UniqueFunction<void()> job = [this, travelling, &route] {
        auto& held = travelling->exchange;
        try {
            auto reply = (this->*route.function)(travelling->call);
            held.trace().end(http::Stage::kRun);
            if (!reply) {
                reply_error(held, reply.error());
                return;
            }
            const auto id = random_request_id();
            held.trace().id = id;
            held.reply(json_response(*std::move(reply), id));
        } catch (const std::exception& error) {
            log_error(
                "a call of the console threw",
                {{"operation", route.operation}, {"what", error.what()}}
            );
            reply_error(held, rest::internal_failure());
        }
    };
    if (!workers_.submit(job)) {
        reply_error(
            travelling->exchange, rest::unavailable("Too many requests are waiting; try again")
        );
    }
}

CallReply Face::models(const Call& /*call*/) {
    std::call_once(models_once_, [this] { models_ = render_models(context_); });
    return Reply{models_, ""};
}

}  // namespace gateleg::api::console

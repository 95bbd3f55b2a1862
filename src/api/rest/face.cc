#include "api/rest/face.h"

#include <algorithm>
#include <stdexcept>

#include "api/rest/problem.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/sha256.h"
#include "model/access.h"

namespace gateleg::api::rest {
namespace {

using model::CallError;
using model::CallResult;

constexpr std::string_view kDocumentHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
    "'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'\r\n"
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Cache-Control: no-cache\r\n";

// A header that must not come twice: two of them could mean two things to two readers.
CallResult<std::optional<std::string_view>> single_header(
    const http::RequestHead& head, std::string_view name
) {
    std::optional<std::string_view> found;
    for (const auto& header : head.headers()) {
        if (!http::equal_ignoring_case(header.name, name)) {
            continue;
        }
        if (found) {
            return validation_failed(name, "is given more than once");
        }
        found = header.value;
    }
    return found;
}

// The token behind "Bearer "; empty if the header says something else.
std::string_view bearer_token(std::string_view header) {
    constexpr std::string_view kScheme = "Bearer ";
    if (header.size() < kScheme.size() ||
        !http::equal_ignoring_case(header.substr(0, kScheme.size()), kScheme)) {
        return {};
    }
    return header.substr(kScheme.size());
}

model::RequestFacts facts_of(const http::Request& request) {
    model::RequestFacts facts{
        .remote_address = std::string(request.remote_address), .tls = request.tls};
    for (const auto& header : request.head.headers()) {
        facts.headers.emplace_back(header.name, header.value);
    }
    return facts;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
    std::string text;
    for (const auto& word : words) {
        text.append(text.empty() ? "" : between).append(word);
    }
    return text;
}

std::string allow_header(std::set<std::string> methods) {
    if (methods.contains("GET")) {
        methods.insert("HEAD");
    }
    return "Allow: " + joined({methods.begin(), methods.end()}, ", ") + "\r\n";
}

bool is_get(const http::RequestHead& head) {
    return head.method() == "GET" || head.method() == "HEAD";
}

void log_failure(const CallError& error, std::string_view request_id) {
    if (error.status == 500) {
        log_error("a request failed", {{"code", error.code}, {"requestId", request_id}});
    }
}

}  // namespace

Face::Face(
    const std::vector<model::Runtime*>& systems,
    const auth::JwtVerifier& tokens,
    const Clock& real_clock,
    FaceOptions options
)
    : tokens_(tokens),
      real_clock_(real_clock),
      options_(std::move(options)),
      documents_(systems),
      workers_(systems.empty() ? 0 : options_.workers, options_.max_queued) {
    for (auto* runtime : systems) {
        add_routes(*runtime);
    }
}

Face::~Face() = default;

void Face::add_route(std::string_view path, Target target) {
    const auto added =
        router_.add(target.endpoint.method, path, target.endpoint.selecting, targets_.size());
    if (!added) {
        throw std::invalid_argument(target.runtime->model().file + ": " + added.error().message);
    }
    targets_.push_back(std::make_unique<Target>(std::move(target)));
}

void Face::add_routes(model::Runtime& runtime) {
    const auto& model = runtime.model();
    for (auto& endpoint : model::endpoints_of(model)) {
        const auto path = endpoint.path;
        auto name = model.name + "." + endpoint.id;
        add_route(path, {&runtime, std::move(endpoint), std::move(name)});
    }
    const auto name_of = [&](const model::Endpoint& endpoint) {
        return model.name + ".patterns." + endpoint.pattern->name;
    };
    // A route of the model's own goes before.
    const auto events = model::base_path(model) + "/events";
    const auto endpoints = model::endpoints_of(model);
    if (std::none_of(endpoints.begin(), endpoints.end(), [&](const model::Endpoint& endpoint) {
            return endpoint.path == events && endpoint.method == "GET";
        })) {
        event_paths_[events] = &runtime;
    }
    // By name, then by the rows they serve; a row that two patterns serve leads to the first.
    std::set<std::string> taken;
    for (const auto& endpoint : model::pattern_endpoints_of(model)) {
        taken.insert(endpoint.pattern->name);
        add_route(endpoint.path, {&runtime, endpoint, name_of(endpoint)});
    }
    for (const auto& endpoint : model::pattern_endpoints_of(model)) {
        for (const auto& row : model::row_ids(*endpoint.pattern)) {
            if (taken.insert(row).second) {
                add_route(
                    model::base_path(model) + "/patterns/" + row,
                    {&runtime, endpoint, name_of(endpoint)}
                );
            }
        }
    }
}

std::optional<http::Response> Face::refuse_early(const http::RequestHead& head) const {
    switch (http::check_host(head, options_.hosts)) {
        case http::HostVerdict::kAllowed:
            return std::nullopt;
        case http::HostVerdict::kForeignHost:
            return problem_response(
                {.status = 421,
                 .code = "HostNotAllowed",
                 .message = "This server does not answer to that name"},
                random_request_id()
            );
        case http::HostVerdict::kForeignOrigin:
            return problem_response(
                {.status = 403,
                 .code = "CsrfRejected",
                 .message = "Requests from pages of another origin are refused"},
                random_request_id()
            );
    }
    return std::nullopt;
}

http::Response Face::refusal(int status, std::string_view reason) const {
    auto response = problem_response(
        {.status = status,
         .code = std::string(refusal_code(status)),
         .message = std::string(reason)},
        random_request_id()
    );
    response.close = true;
    return response;
}

bool Face::names_session(const http::RequestHead& head) const {
    if (options_.sessions == nullptr) {
        return false;
    }
    const auto header = head.find("Authorization");
    if (!header) {
        return !console::cookie_of(head, systems::kSessionCookie).empty();
    }
    // A JSON Web Token has points, a session's token has none.
    return header->find('.') == std::string_view::npos;
}

CallResult<std::optional<systems::Session>> Face::find_session(const http::RequestHead& head
) const {
    const auto header = head.find("Authorization");
    if (!header) {
        const bool changes =
            head.method() != "GET" && head.method() != "HEAD" && head.method() != "OPTIONS";
        // A foreign origin was refused before; a browser that names none proves nothing.
        const auto site = head.find("Sec-Fetch-Site").value_or("");
        if (changes && !head.find("Origin") && site != "same-origin") {
            return CallError{
                .status = 403,
                .code = "CsrfRejected",
                .message = "A request with a cookie must name its origin"};
        }
        return options_.sessions->find(console::cookie_of(head, systems::kSessionCookie));
    }
    auto session = options_.sessions->find(bearer_token(*header));
    if (session && !*session) {
        return unauthenticated("The session is not valid, or it has ended");
    }
    return session;
}

CallResult<std::optional<Face::Identity>> Face::identify_operator(const http::RequestHead& head
) const {
    const std::optional<Identity> nobody;
    if (options_.console == nullptr || head.find("Authorization")) {
        return nobody;
    }
    const bool other = !console::cookie_of(head, systems::kSessionCookie).empty();
    auto verdict = options_.console->judge(head, other);
    if (verdict.refused) {
        return *std::move(verdict.refused);
    }
    if (!verdict.session) {
        return nobody;
    }
    return std::optional(Identity{
        .caller = {
            .user = "console",
            .roles = {"user", "moderator", "admin", "service"},
            .viewer = "console"}});
}

std::string Face::viewer_of(std::string_view remote_address) const {
    const auto digest = sha256(options_.viewer_salt + "\n" + std::string(remote_address));
    return to_hex(digest).substr(0, 32);
}

CallResult<Face::Identity> Face::identify(const http::Request& request) const {
    Identity identity;
    auto& caller = identity.caller;
    auto signed_in = identify_operator(request.head);
    if (!signed_in) {
        return std::move(signed_in).error();
    }
    if (*signed_in) {
        return **std::move(signed_in);
    }
    const auto header = single_header(request.head, "Authorization");
    if (!header) {
        return unauthenticated("Send one Authorization header");
    }
    if (*header && bearer_token(**header).empty()) {
        return unauthenticated("Send Authorization: Bearer and a token");
    }
    if (names_session(request.head)) {
        auto session = find_session(request.head);
        if (!session) {
            return std::move(session).error();
        }
        if (*session) {
            caller.user = (*session)->user;
            caller.viewer = (*session)->user;
            identity.session = *std::move(session);
        } else {
            caller.viewer = viewer_of(request.remote_address);
        }
        return identity;
    }
    if (!*header) {
        caller.viewer = viewer_of(request.remote_address);
        return identity;
    }
    auto claims = tokens_.verify(bearer_token(**header), real_clock_.now_seconds());
    if (!claims) {
        return unauthenticated(claims.error().message);
    }
    caller.viewer = claims->subject;
    caller.user = claims->subject;
    caller.roles = {claims->roles.begin(), claims->roles.end()};
    return identity;
}

std::optional<Face::Refused> Face::find_document(
    const http::RequestHead& head, const Identity& identity, std::optional<Document>& document
) {
    auto found = documents_.find(head, [&](std::string_view system) {
        auto reader = identity.caller;
        if (identity.session) {
            reader.roles = systems::roles_in(*identity.session, system);
        }
        return reader;
    });
    if (!found) {
        return Refused{std::move(found).error()};
    }
    if (*found && !is_get(head)) {
        return Refused{method_not_allowed(), allow_header({"GET"})};
    }
    document = *std::move(found);
    return std::nullopt;
}

std::optional<Face::Refused> Face::find_target(const http::RequestHead& head, Call& call) const {
    const auto segments = split_path(head.path());
    if (!segments) {
        return Refused{not_found()};
    }
    const auto method = head.method() == "HEAD" ? std::string_view("GET") : head.method();
    auto match = router_.find(method, *segments, call.parts.query);
    if (match.target) {
        call.target = targets_[*match.target].get();
        call.parts.variables = std::move(match.variables);
        return std::nullopt;
    }
    if (!match.choices.empty()) {
        return Refused{validation_failed(
            "", "Give the parameters of one of these lists: " + joined(match.choices, ", ")
        )};
    }
    if (event_paths_.contains(head.path())) {
        match.allowed.insert("GET");
    }
    if (match.allowed.empty()) {
        return Refused{not_found()};
    }
    return Refused{method_not_allowed(), allow_header(std::move(match.allowed))};
}

std::optional<Face::Refused> Face::route(
    const http::Request& request, Identity identity, Call& call
) const {
    const auto& head = request.head;
    auto query = parse_query(head.query());
    if (!query) {
        return Refused{query.error()};
    }
    std::string explain;
    if (const auto found = query->find("explain"); found != query->end()) {
        explain = found->second;
        query->erase(found);
    }
    call.parts.query = *std::move(query);
    if (auto refused = find_target(head, call)) {
        return refused;
    }
    auto& caller = identity.caller;
    if (identity.session) {
        caller.roles = systems::roles_in(*identity.session, call.target->runtime->model().name);
    }
    if (!explain.empty() && !options_.explain_to_all && !caller.roles.contains("admin")) {
        return Refused{forbidden()};
    }
    call.explain = explain == "1" || explain == "true";
    if (auto denied = model::find_denial(call.target->endpoint.access(), caller)) {
        return Refused{*std::move(denied)};
    }
    const auto key = single_header(head, "Idempotency-Key");
    const auto if_match = single_header(head, "If-Match");
    if (!key || !if_match) {
        return Refused{key ? if_match.error() : key.error()};
    }
    call.parts.body = request.body;
    call.parts.content_type = head.find("Content-Type");
    call.parts.idempotency_key = *key;
    call.parts.if_match = *if_match;
    call.if_none_match = head.find("If-None-Match").value_or("");
    if (const auto* operation = call.target->endpoint.operation; operation && operation->native) {
        call.parts.facts = facts_of(request);
    }
    call.caller = std::move(caller);
    return std::nullopt;
}

CallResult<Answer> Face::run_pattern(const Call& call, model::Explained* explained) {
    const auto& [runtime, endpoint, name] = *call.target;
    const auto& pattern = *endpoint.pattern;
    const auto read = read_pattern_call(endpoint, call.parts);
    if (!read) {
        return read.error();
    }
    if (!pattern.get && !pattern.one) {
        const auto listing = model::list_items(*runtime, pattern, *read, call.caller, explained);
        if (!listing) {
            return listing.error();
        }
        return answer_list(*listing);
    }
    auto found = runtime->get(pattern, *read, call.caller, explained);
    if (!found) {
        return found.error();
    }
    auto answer = answer_found(*runtime, endpoint, *std::move(found), call.caller);
    if (explained == nullptr && !answer.entity_tag.empty() &&
        answer.entity_tag == call.if_none_match) {
        answer.status = 304;
        answer.body.clear();
    }
    return answer;
}

CallResult<Answer> Face::run_operation(const Call& call, model::Explained* explained) {
    const auto& [runtime, endpoint, name] = *call.target;
    const auto read = read_operation_call(endpoint, call.parts);
    if (!read) {
        return read.error();
    }
    const auto reply = runtime->run(*endpoint.operation, *read, call.caller, explained);
    if (!reply) {
        return reply.error();
    }
    return answer_operation(endpoint, *reply);
}

CallResult<Answer> Face::run_job(const Call& call) {
    const auto& [runtime, endpoint, name] = *call.target;
    const auto read = read_job_call(endpoint, call.parts);
    if (!read) {
        return read.error();
    }
    const auto report = runtime->run_job(*endpoint.job, *read, call.caller);
    if (!report) {
        return report.error();
    }
    return answer_job(*report);
}

CallResult<Answer> Face::run(const Call& call) {
    if (call.target->endpoint.job != nullptr) {
        return run_job(call);
    }
    model::Explained explained;
    auto* wanted = call.explain ? &explained : nullptr;
    auto answer = call.target->endpoint.operation != nullptr ? run_operation(call, wanted)
                                                             : run_pattern(call, wanted);
    if (answer && call.explain) {
        add_explanation(*answer, explained);
    }
    return answer;
}

void Face::run_to_end(http::Exchange& exchange, const Call& call) {
    const auto& id = call.request_id;
    http::Response response;
    try {
        auto answer = run(call);
        exchange.trace().end(http::Stage::kRun);
        if (!answer) {
            log_failure(answer.error(), id);
            exchange.trace().code = answer.error().code;
        }
        response =
            answer ? to_response(*std::move(answer), id) : problem_response(answer.error(), id);
    } catch (const std::exception& error) {
        log_error("a request threw", {{"requestId", id}, {"what", error.what()}});
        response = problem_response(internal_failure(), id);
        exchange.trace().code = "Internal";
    }
    exchange.reply(std::move(response));
}

bool Face::is_quick(const Call& call) const {
    const auto* pattern = call.target->endpoint.pattern;
    if (!options_.reads_at_once || pattern == nullptr) {
        return false;
    }
    const bool leaves_out = pattern->only || pattern->distinct || pattern->within;
    return !leaves_out && !pattern->load && !pattern->all_pages && !pattern->count &&
           pattern->merge.empty();
}

void Face::run_on_worker(http::Exchange exchange, Call call) {
    // Exchange and call travel together; a queue that is full leaves both here.
    struct Travelling {
        http::Exchange exchange;
        Call call;
    };
    const auto travelling =
        std::make_shared<Travelling>(Travelling{std::move(exchange), std::move(call)});
    UniqueFunction<void()> job = [travelling] {
        run_to_end(travelling->exchange, travelling->call);
    };
    if (!workers_.submit(job)) {
        travelling->exchange.reply(problem_response(
            unavailable("Too many requests are waiting; try again"), travelling->call.request_id
        ));
    }
}

void Face::proceed(http::Exchange exchange, bool on_worker) {
    const auto& request = exchange.request();
    Call call;
    call.request_id = random_request_id();
    auto& trace = exchange.trace();
    trace.id = call.request_id;
    trace.operation = "unknown";
    std::optional<Document> document;
    std::optional<Refused> refused;
    auto identity = identify(request);
    trace.end(http::Stage::kAuth);
    const auto events = event_paths_.find(request.head.path());
    if (!identity) {
        refused = Refused{std::move(identity).error()};
    } else if (events != event_paths_.end() && is_get(request.head)) {
        trace.operation = "events";
        refused = follow(exchange, *events->second, *identity, call.request_id);
        if (!refused) {
            return;
        }
    } else if (refused = find_document(request.head, *identity, document); !refused && !document) {
        refused = route(request, *std::move(identity), call);
    }
    if (call.target != nullptr) {
        trace.operation = call.target->name;
        trace.table = call.target->runtime->model().table.name;
    }
    trace.end(http::Stage::kParse);
    if (refused) {
        trace.code = refused->error.code;
        auto response = problem_response(refused->error, call.request_id);
        response.headers.append(refused->headers);
        exchange.reply(std::move(response));
    } else if (document) {
        trace.operation = "document";
        exchange.reply(
            {.content_type = document->content_type,
             .headers = "x-request-id: " + call.request_id + "\r\n" + std::string(kDocumentHeaders),
             .body = *document->body}
        );
    } else if (on_worker || is_quick(call)) {
        run_to_end(exchange, call);
    } else {
        run_on_worker(std::move(exchange), std::move(call));
    }
}

void Face::handle(http::Exchange exchange) {
    if (!names_session(exchange.request().head)) {
        proceed(std::move(exchange), false);
        return;
    }
    const auto held = std::make_shared<http::Exchange>(std::move(exchange));
    UniqueFunction<void()> job = [this, held] { proceed(std::move(*held), true); };
    if (!workers_.submit(job)) {
        held->reply(problem_response(
            unavailable("Too many requests are waiting; try again"), random_request_id()
        ));
    }
}

}  // namespace gateleg::api::rest

#include "api/rest/face.h"

#include <algorithm>
#include <stdexcept>

#include "api/rest/pattern_list.h"
#include "api/rest/problem.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/sha256.h"
#include "model/access.h"
#include "model/docs_page.h"
#include "model/openapi.h"

namespace gateleg::api::rest {
namespace {

using model::CallError;
using model::CallResult;

constexpr std::string_view kJson = "application/json";
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
      workers_(systems.empty() ? 0 : options_.workers, options_.max_queued) {
    for (auto* runtime : systems) {
        add_routes(*runtime);
    }
    add_documents(systems);
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
        add_route(path, {&runtime, std::move(endpoint)});
    }
    // By name, then by the rows they serve; a row that two patterns serve leads to the first.
    std::set<std::string> taken;
    for (const auto& endpoint : model::pattern_endpoints_of(model)) {
        taken.insert(endpoint.pattern->name);
        add_route(endpoint.path, {&runtime, endpoint});
    }
    for (const auto& endpoint : model::pattern_endpoints_of(model)) {
        for (const auto& row : model::row_ids(*endpoint.pattern)) {
            if (taken.insert(row).second) {
                add_route(model::base_path(model) + "/patterns/" + row, {&runtime, endpoint});
            }
        }
    }
}

void Face::add_documents(const std::vector<model::Runtime*>& systems) {
    std::vector<const model::Model*> models;
    for (const auto* runtime : systems) {
        const auto& model = runtime->model();
        models.push_back(&model);
        const auto base = model::base_path(model);
        documents_[base + "/openapi.json"] = {kJson, model::render_openapi({&model})};
        documents_["/openapi.json?system=" + model.name] = documents_[base + "/openapi.json"];
        documents_[base + "/patterns"] = {kJson, render_pattern_list(model)};
    }
    documents_["/openapi.json"] = {kJson, model::render_openapi(models)};
    documents_["/docs"] = {"text/html; charset=utf-8", model::render_docs_page(models)};
    documents_["/docs/docs.css"] = {"text/css; charset=utf-8", std::string(model::docs_css())};
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

CallResult<model::Caller> Face::identify(const http::Request& request) const {
    model::Caller caller;
    const auto header = single_header(request.head, "Authorization");
    if (!header) {
        return unauthenticated("Send one Authorization header");
    }
    if (!*header) {
        const auto digest =
            sha256(options_.viewer_salt + "\n" + std::string(request.remote_address));
        caller.viewer = to_hex(digest).substr(0, 32);
        return caller;
    }
    constexpr std::string_view kScheme = "Bearer ";
    const auto text = **header;
    if (text.size() < kScheme.size() ||
        !http::equal_ignoring_case(text.substr(0, kScheme.size()), kScheme)) {
        return unauthenticated("Send Authorization: Bearer and a token");
    }
    auto claims = tokens_.verify(text.substr(kScheme.size()), real_clock_.now_seconds());
    if (!claims) {
        return unauthenticated(claims.error().message);
    }
    caller.viewer = claims->subject;
    caller.user = claims->subject;
    caller.roles = {claims->roles.begin(), claims->roles.end()};
    return caller;
}

std::optional<Face::Refused> Face::find_document(
    const http::RequestHead& head, const Document*& document
) const {
    auto path = std::string(head.path());
    if (path == "/docs/") {
        path = "/docs";
    }
    if (path == "/openapi.json" && head.query().starts_with("system=")) {
        path += "?" + std::string(head.query());
        if (!documents_.contains(path)) {
            return Refused{not_found()};
        }
    }
    const auto found = documents_.find(path);
    if (found == documents_.end()) {
        return std::nullopt;
    }
    if (head.method() != "GET" && head.method() != "HEAD") {
        return Refused{method_not_allowed(), allow_header({"GET"})};
    }
    document = &found->second;
    return std::nullopt;
}

std::optional<Face::Refused> Face::find_target(
    const http::RequestHead& head, const model::Caller& caller, Call& call
) const {
    const auto segments = split_path(head.path());
    if (!segments) {
        return Refused{not_found()};
    }
    const auto method = head.method() == "HEAD" ? std::string_view("GET") : head.method();
    auto match = router_.find(method, *segments, call.parts.query);
    if (match.target) {
        call.target = targets_[*match.target].get();
        call.parts.variables = std::move(match.variables);
        auto denied = model::find_denial(call.target->endpoint.access(), caller);
        return denied ? std::optional(Refused{*std::move(denied)}) : std::nullopt;
    }
    if (!match.choices.empty()) {
        return Refused{validation_failed(
            "", "Give the parameters of one of these lists: " + joined(match.choices, ", ")
        )};
    }
    if (match.allowed.empty()) {
        return Refused{not_found()};
    }
    return Refused{method_not_allowed(), allow_header(std::move(match.allowed))};
}

std::optional<Face::Refused> Face::route(
    const http::Request& request, model::Caller caller, Call& call
) const {
    const auto& head = request.head;
    auto query = parse_query(head.query());
    if (!query) {
        return Refused{query.error()};
    }
    if (const auto explain = query->find("explain"); explain != query->end()) {
        if (!options_.explain_to_all && !caller.roles.contains("admin")) {
            return Refused{forbidden()};
        }
        call.explain = explain->second == "1" || explain->second == "true";
        query->erase(explain);
    }
    call.parts.query = *std::move(query);
    if (auto refused = find_target(head, caller, call)) {
        return refused;
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
    call.caller = std::move(caller);
    return std::nullopt;
}

CallResult<Answer> Face::run_pattern(const Call& call, model::Explained* explained) {
    const auto& [runtime, endpoint] = *call.target;
    const auto& pattern = *endpoint.pattern;
    const auto read = read_pattern_call(endpoint, call.parts);
    if (!read) {
        return read.error();
    }
    if (!pattern.get && !pattern.one) {
        const auto page = runtime->query(pattern, *read, call.caller, explained);
        if (!page) {
            return page.error();
        }
        return answer_page(*runtime, endpoint, *page, call.caller);
    }
    const auto found = runtime->get(pattern, *read, call.caller, explained);
    if (!found) {
        return found.error();
    }
    auto answer = answer_found(*runtime, endpoint, *found, call.caller);
    if (explained == nullptr && !answer.entity_tag.empty() &&
        answer.entity_tag == call.if_none_match) {
        answer.status = 304;
        answer.body.clear();
    }
    return answer;
}

CallResult<Answer> Face::run_operation(const Call& call, model::Explained* explained) {
    const auto& [runtime, endpoint] = *call.target;
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
    const auto& [runtime, endpoint] = *call.target;
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

void Face::run_on_worker(http::Exchange exchange, Call call) {
    // Exchange and call travel together; a queue that is full leaves both here.
    struct Travelling {
        http::Exchange exchange;
        Call call;
    };
    const auto travelling =
        std::make_shared<Travelling>(Travelling{std::move(exchange), std::move(call)});
    UniqueFunction<void()> job = [travelling] {
        auto& [held, running] = *travelling;
        const auto& id = running.request_id;
        http::Response response;
        try {
            auto answer = run(running);
            if (!answer) {
                log_failure(answer.error(), id);
            }
            response =
                answer ? to_response(*std::move(answer), id) : problem_response(answer.error(), id);
        } catch (const std::exception& error) {
            log_error("a request threw", {{"requestId", id}, {"what", error.what()}});
            response = problem_response(internal_failure(), id);
        }
        held.reply(std::move(response));
    };
    if (!workers_.submit(job)) {
        travelling->exchange.reply(problem_response(
            unavailable("Too many requests are waiting; try again"), travelling->call.request_id
        ));
    }
}

void Face::handle(http::Exchange exchange) {
    const auto& request = exchange.request();
    Call call;
    call.request_id = random_request_id();
    const Document* document = nullptr;
    std::optional<Refused> refused;
    if (auto caller = identify(request); !caller) {
        refused = Refused{std::move(caller).error()};
    } else if (refused = find_document(request.head, document); !refused && document == nullptr) {
        refused = route(request, *std::move(caller), call);
    }
    if (refused) {
        auto response = problem_response(refused->error, call.request_id);
        response.headers.append(refused->headers);
        exchange.reply(std::move(response));
    } else if (document != nullptr) {
        exchange.reply(
            {.content_type = document->content_type,
             .headers = "x-request-id: " + call.request_id + "\r\n" + std::string(kDocumentHeaders),
             .body = document->body}
        );
    } else {
        run_on_worker(std::move(exchange), std::move(call));
    }
}

}  // namespace gateleg::api::rest

// The console over HTTP: its pages at /, its log-in, and the calls behind /_/api.
//
// Nothing under /_/api is routed before the session, the origin and the CSRF token have passed;
// only the question who is signed in, and signing in, go without.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/console/context.h"
#include "api/console/gate.h"
#include "api/console/sessions.h"
#include "api/rest/router.h"
#include "base/worker_pool.h"
#include "http/handler.h"
#include "http/host_policy.h"

namespace gateleg::api::console {

// Thread-safe. Sessions, gate and what the context refers to outlive it.
class Face final : public http::Handler {
public:
    Face(Context context, Sessions& sessions, const Gate& gate, http::HostPolicy hosts);
    ~Face() override;

    // Whether a path of the HTTP face is the console's.
    static bool owns(std::string_view path);

    // Before the first request.
    void set_urls(Urls urls);

    void handle(http::Exchange exchange) override;
    std::size_t max_body_bytes(const http::RequestHead& head) const override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

    // What an answer may change, and so whether a session that only reads may ask.
    enum class Effect : std::uint8_t { kReads, kChanges, kDecidesItself };
    using Function = CallReply (Face::*)(const Call&);
    struct Route {
        std::string_view operation;  // for counters
        std::string_view method;
        std::string_view path;
        Effect effect;
        Function function;
    };

private:
    static void reply_error(
        http::Exchange& exchange, const model::CallError& error, std::string_view extra = ""
    );
    static const std::vector<Route>& routes();
    template <CallReply (*function)(const Context&, const Call&)>
    CallReply with_context(const Call& call) {
        return function(context_, call);
    }

    CallReply models(const Call& call);
    CallReply log_in(const Call& call);
    CallReply log_out(const Call& call);
    CallReply set_read_only(const Call& call);

    void answer_page(http::Exchange exchange);
    void answer_login_link(http::Exchange exchange);
    void answer_session(http::Exchange exchange);
    void answer_call(http::Exchange exchange);
    // tail.cc
    void answer_tail(http::Exchange exchange, Call call);
    std::optional<model::CallError> follow_table(http::Exchange& exchange, const Call& call);
    void answer_dynamodb(http::Exchange exchange, const Session& session);
    void run(http::Exchange exchange, const Route& route, Call call);
    std::optional<model::CallError> pass_gate(
        const http::RequestHead& head, std::shared_ptr<Session>& session
    ) const;

    Context context_;
    Sessions& sessions_;
    const Gate& gate_;
    http::HostPolicy hosts_;
    std::string policy_;  // of content, for pages
    std::string models_;  // rendered once
    rest::Router router_;
    // Last: its threads end before what they use.
    WorkerPool workers_;
};

}  // namespace gateleg::api::console

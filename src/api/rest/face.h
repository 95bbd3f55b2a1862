// The systems API: the routes of loaded models as HTTP, their OpenAPI documents and /docs.
//
// A request passes one gate before it is routed (who calls), is routed, judged by the route's own
// `allow`, and then runs on a worker thread, because the runtime blocks.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/console/gate.h"
#include "api/events/hub.h"
#include "api/rest/answer.h"
#include "api/rest/documents.h"
#include "api/rest/read_call.h"
#include "api/rest/router.h"
#include "auth/jwt.h"
#include "base/clock.h"
#include "base/worker_pool.h"
#include "http/handler.h"
#include "http/host_policy.h"
#include "model/runtime.h"
#include "model/surface.h"
#include "systems/session_source.h"

namespace gateleg::api::rest {

struct FaceOptions {
    http::HostPolicy hosts = {};
    // Salts the hash of an address that stands for a viewer who is not signed in.
    std::string viewer_salt = {};
    // Null: only JSON Web Tokens sign in.
    systems::SessionSource* sessions = nullptr;
    // Null: the console is off. Whoever is signed in to it has every role.
    const console::Gate* console = nullptr;
    // Null: nobody can follow the changes of a system, since its store is remote.
    events::Hub* events = nullptr;
    // What the runtimes run on, for the rules about changes.
    dynamo::Dynamo* dynamo = nullptr;
    // ?explain=1 for everybody, not for administrators alone.
    bool explain_to_all = false;
    // The store answers a read before the call returns, so that a short list needs no worker.
    bool reads_at_once = false;
    // They mostly wait for the commit of a group, so there are more of them than cores.
    std::size_t workers = 32;
    std::size_t max_queued = 1024;
};

// Thread-safe. What it is given outlives it.
class Face final : public http::Handler {
public:
    // Tokens are judged by the real clock: whoever made them does not know a clock of tests.
    // Throws std::invalid_argument when two routes cannot be told apart.
    Face(
        const std::vector<model::Runtime*>& systems,
        const auth::JwtVerifier& tokens,
        const Clock& real_clock,
        FaceOptions options
    );
    ~Face() override;

    void handle(http::Exchange exchange) override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

private:
    // What a route leads to.
    struct Target {
        model::Runtime* runtime = nullptr;
        model::Endpoint endpoint;
        std::string name;  // "stories.renameStory", for counters
    };
    // A request on its way through the gates.
    struct Call {
        const Target* target = nullptr;
        model::Caller caller;
        CallParts parts;
        std::string if_none_match;
        bool explain = false;
        std::string request_id;
    };

    void add_routes(model::Runtime& runtime);
    void add_route(std::string_view path, Target target);

    // Why a request is not answered, and what its reply says beside that.
    struct Refused {
        model::CallError error;
        std::string headers = {};
    };

    // Who calls, before it is known which system is called: a session has roles in each.
    struct Identity {
        model::Caller caller;
        std::optional<systems::Session> session = {};
    };
    // Nothing if nobody signed in to the console calls.
    model::CallResult<std::optional<Identity>> identify_operator(const http::RequestHead& head
    ) const;

    // What stands for whoever is not signed in.
    std::string viewer_of(std::string_view remote_address) const;
    bool names_session(const http::RequestHead& head) const;
    // Blocks if the request names a session.
    model::CallResult<Identity> identify(const http::Request& request) const;
    model::CallResult<std::optional<systems::Session>> find_session(const http::RequestHead& head
    ) const;
    // Fill in what was found; nothing is found without a word where there is no document.
    std::optional<Refused> find_document(
        const http::RequestHead& head, const Identity& identity, std::optional<Document>& document
    );
    std::optional<Refused> find_target(const http::RequestHead& head, Call& call) const;
    std::optional<Refused> route(const http::Request& request, Identity identity, Call& call) const;
    // event_stream.cc: the changes of a system as they happen.
    std::optional<Refused> follow(
        http::Exchange& exchange,
        model::Runtime& runtime,
        const Identity& identity,
        std::string_view request_id
    );
    // Whether whoever was identified still is who they were.
    UniqueFunction<bool()> watch_identity(
        const http::RequestHead& head, const Identity& identity, std::string_view system
    ) const;

    // From the gate to the reply. On a worker it runs to the end, elsewhere it hands the call to
    // one.
    void proceed(http::Exchange exchange, bool on_worker);
    // True for reads that end after a page: another thread would cost more than they do.
    bool is_quick(const Call& call) const;
    void run_on_worker(http::Exchange exchange, Call call);
    static void run_to_end(http::Exchange& exchange, const Call& call);
    static model::CallResult<Answer> run(const Call& call);
    static model::CallResult<Answer> run_pattern(const Call& call, model::Explained* explained);
    static model::CallResult<Answer> run_operation(const Call& call, model::Explained* explained);
    static model::CallResult<Answer> run_job(const Call& call);

    const auth::JwtVerifier& tokens_;
    const Clock& real_clock_;
    FaceOptions options_;
    std::vector<std::unique_ptr<Target>> targets_;
    Router router_;
    Documents documents_;
    std::map<std::string, model::Runtime*, std::less<>> event_paths_;
    // Last: its threads end before what they use.
    WorkerPool workers_;
};

}  // namespace gateleg::api::rest

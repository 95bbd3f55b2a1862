// What the calls of the console work on, and the form they have.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/console/sessions.h"
#include "api/events/hub.h"
#include "api/rest/query_string.h"
#include "base/clock.h"
#include "dynamo/backups.h"
#include "dynamo/dynamo.h"
#include "dynamo/hot_keys.h"
#include "dynamo/partition_reader.h"
#include "dynamo/streams.h"
#include "metrics/history.h"
#include "metrics/request_log.h"
#include "model/runtime.h"
#include "objects/store.h"
#include "systems/session_source.h"

namespace gateleg::auth {
class KeyRing;
}

namespace gateleg::api::console {

struct System {
    model::Runtime* runtime = nullptr;
    std::string_view yaml = {};     // the model as it was written
    std::string_view catalog = {};  // beside it; empty if it has none
};

// Where the faces are reached; empty if they are off. Set before the first request.
struct Urls {
    std::string dynamodb = {};
    std::string http = {};
    std::string s3 = {};
};

// Pointers may be null, references not; all of it outlives the console.
struct Context {
    dynamo::Dynamo& dynamo;
    const dynamo::PartitionReader* partitions = nullptr;  // null: the store is remote
    const dynamo::HotKeyReader* hot_keys = nullptr;       // the same
    dynamo::Streams* streams = nullptr;                   // the same
    dynamo::Backups* backups = nullptr;                   // the same
    events::Hub* events = nullptr;                        // the same
    std::vector<System> systems = {};
    systems::SessionSource* accounts = nullptr;
    objects::ObjectStore* objects = nullptr;
    auth::KeyRing* keys = nullptr;
    const metrics::RequestLog& requests;
    const metrics::History& history;
    const Clock& real_clock;
    const Clock& clock;  // in force: tests may set it
    std::string version = {};
    std::string region = {};
    std::string store = "embedded";
    bool test_clock = false;
    std::int64_t slow_micros = 0;
    Urls urls = {};

    const System* find_system(std::string_view name) const;
};

// A call that has passed the gate. The body lives as long as the call.
struct Call {
    std::vector<std::string> variables = {};  // of the path, in order
    rest::QueryParameters query = {};
    std::string_view body = {};
    std::shared_ptr<Session> session = nullptr;  // null for those that need none
    model::RequestFacts facts = {};

    // Empty, or `otherwise`, if it is not there.
    std::string_view parameter(std::string_view name) const;
    model::CallResult<std::size_t> number(
        std::string_view name, std::size_t otherwise, std::size_t most
    ) const;
};

// JSON, and header lines beside those that all answers have.
struct Reply {
    std::string json = {};
    std::string headers = {};
};
using CallReply = model::CallResult<Reply>;

// The members of a body that is a JSON object.
class Body {
public:
    static model::CallResult<Body> parse(std::string_view text);

    // ValidationFailed if it is missing or something else.
    model::CallResult<std::string> text(std::string_view name) const;
    std::string text_or(std::string_view name, std::string_view otherwise) const;
    bool flag_or(std::string_view name, bool otherwise) const;
    const value::AttributeValue* find(std::string_view name) const;

private:
    value::Map members_;
};

model::CallError not_found(std::string message);
model::CallError not_available(std::string message);

}  // namespace gateleg::api::console

// Server-sent events: clients that follow the changes of a table, all of them served by one thread.
//
// A client has a position and nothing more: what it has not taken yet stays in the stream of the
// table, and is read again when its connection is ready. So a slow one costs a page of memory, and
// misses records only when they are a day old, which an event `gap` then says.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_function.h"
#include "dynamo/change_feed.h"
#include "http/handler.h"
#include "model/call.h"

namespace gateleg::api::events {

struct HubOptions {
    std::size_t most = 256;
    std::size_t most_of_one = 16;
    std::chrono::milliseconds heartbeat{15'000};
    // How often clients are asked whether they may go on.
    std::chrono::milliseconds look{1'000};
    // Changes that come within this time of the last ones go out together.
    std::chrono::milliseconds gather{5};
};

// What one client follows. Its functions are called on the hub's thread and may block for a read;
// what they use outlives the hub.
struct Follow {
    std::string owner;  // who is counted
    std::string table;
    std::string after;          // a sequence number
    bool gap = false;           // tell of one at the beginning
    bool from_horizon = false;  // what is older is not missed
    // The record as JSON; nothing if it is not for this client.
    UniqueFunction<std::optional<std::string>(const dynamo::StreamRecord&)> render;
    // False ends the reply.
    UniqueFunction<bool()> may_go_on;
};

// Where a request asks to begin.
struct Start {
    std::string_view from = {};           // "latest", "horizon" or a number; empty is the latest
    std::string_view last_event_id = {};  // goes before it
};

// "latest", "horizon", or digits that may be a sequence number.
bool is_start(std::string_view from);

// Thread-safe. Destroyed after the server whose exchanges it was given; the feed outlives it.
class Hub {
public:
    explicit Hub(dynamo::ChangeFeed& feed, HubOptions options = {});
    ~Hub();
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;

    // Sets table, after, gap and from_horizon. Fails with 404, with 409 StreamDisabled (also if the
    // stream lacks images that `with_images` asks for), or with 400.
    std::optional<model::CallError> find_start(
        const std::string& table, const Start& start, bool with_images, Follow& follow
    ) const;

    // Begins the reply with the headers given, or says why not: then the exchange is still there.
    std::optional<model::CallError> follow(
        http::Exchange& exchange, std::string headers, Follow follow
    );

    std::size_t count() const;

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Client {
        Follow follow;
        std::unique_ptr<http::LiveReply> reply = nullptr;  // the hub's thread's, once it is set
        Time looked_at = {};
        Time spoken_at = {};
    };

    void ring();
    void run(const std::stop_token& stop);
    // True if there is more for a client at once.
    bool serve_all(bool changed);
    bool serve(Client& client, bool changed, Time now);
    bool send_changes(Client& client, Time now);

    dynamo::ChangeFeed& feed_;
    const HubOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable_any rung_;
    bool changed_ = false;
    std::vector<std::shared_ptr<Client>> clients_;
    std::jthread thread_;  // last: starts when everything above is there
};

}  // namespace gateleg::api::events

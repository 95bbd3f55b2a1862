// Outgoing HTTP/1.1 on one thread: requests wait in a bounded queue for one of a bounded number of
// connections, which are kept open for the next.
//
// Nothing is repeated here, not even on a connection that turns out to be dead: who sends knows
// whether a request may be sent twice.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/unique_function.h"

namespace gateleg::remote {

using SteadyTime = std::chrono::steady_clock::time_point;

struct HttpRequest {
    std::string method = "POST";
    std::string url;
    std::vector<std::string> headers;  // "Name: value"
    std::string body;
    // The whole request, waiting included, has ended by then.
    SteadyTime deadline;
    // Not through a proxy, whatever the environment says.
    bool direct = false;
    // Through this socket file instead of the network.
    std::string unix_socket = {};
};

struct HttpReply {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;

    // Empty if there is no such header.
    std::string_view header(std::string_view lower_name) const;
};

struct HttpFailure {
    enum class Kind {
        kBusy,         // the queue is full
        kStopped,      // the client is being taken down
        kUnreachable,  // no connection, or none for long enough to send the request
        kUntrusted,    // its certificate is not one we accept
        kTimedOut,     // the deadline has passed
        kLost,         // the connection ended before the whole answer was there
        kTooLarge,     // the answer is larger than we take
    };
    Kind kind = Kind::kLost;
    // False if the other side cannot have seen the whole request.
    bool may_have_arrived = false;
    std::string reason;
};

using HttpResult = std::variant<HttpReply, HttpFailure>;
using HttpDone = UniqueFunction<void(HttpResult)>;

struct HttpClientOptions {
    std::size_t max_connections = 64;
    std::size_t max_queued = 1024;
    std::size_t max_reply_bytes = std::size_t{32} << 20;
    std::chrono::milliseconds connect_timeout{3000};
    // PEM file of certificates to trust instead of the system's.
    std::string ca_file;
};

// Thread-safe. `done` is called exactly once, on the client's thread or, when the request is
// refused, before send() returns; it must not block.
class HttpClient {
public:
    explicit HttpClient(HttpClientOptions options = {});
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    void send(HttpRequest request, HttpDone done);
    // Calls `function` on the client's thread at that time, or earlier when the client stops.
    void run_at(SteadyTime time, UniqueFunction<void()> function);

    // Ends everything under way with kStopped and waits for the thread. Not from that thread.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gateleg::remote

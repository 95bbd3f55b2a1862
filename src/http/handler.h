// What a face (DynamoDB, REST, S3) implements, and the Exchange it answers through.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_function.h"
#include "http/request.h"
#include "http/response.h"
#include "http/trace.h"

namespace gateleg::http {

// What came of asking for more of a body.
struct BodyRead {
    enum class State : std::uint8_t {
        kMore,
        kEnd,        // these bytes were the last
        kGone,       // the client left, or the server stops
        kTooSlow,    // see Limits
        kMalformed,  // the chunks of a chunked body
    };
    std::size_t bytes = 0;  // with kMore at least one, with failures none
    State state = State::kEnd;
};
using BodyCallback = UniqueFunction<void(BodyRead)>;

// The body of a reply that is made while it is sent, and ends with its connection. Any one thread
// at a time; destroying it ends the reply.
class LiveReply {
public:
    virtual ~LiveReply() = default;
    // Hands the bytes on. What the client does not take at once waits in memory, so that whoever
    // has a lot to say asks is_ready() first. False: the client is gone.
    virtual bool send(std::string_view bytes) = 0;
    // Nothing waits for the client.
    virtual bool is_ready() const = 0;
    virtual bool is_gone() const = 0;
};

// Where an Exchange's reply goes: a connection, or a recorder in a test.
class ExchangeTarget {
public:
    virtual ~ExchangeTarget() = default;
    virtual const Request& request() const = 0;
    virtual std::string take_body_buffer() = 0;
    virtual std::string take_header_buffer() = 0;
    virtual void reply(Response&& response) = 0;
    virtual void read_body(std::span<char> into, BodyCallback done);
    virtual std::unique_ptr<LiveReply> reply_live(
        Response&& head, UniqueFunction<void()> on_change
    );
    // The exchange was dropped without a reply.
    virtual void reply_missing() = 0;

    Trace trace;
};

// One request on its way to its one reply. Moved, not copied; any one thread at a time may hold
// it. Dropped unanswered it answers 500.
class Exchange {
public:
    explicit Exchange(std::shared_ptr<ExchangeTarget> target) : target_(std::move(target)) {}
    Exchange(Exchange&&) noexcept = default;
    Exchange& operator=(Exchange&& other) noexcept;
    ~Exchange();

    // Valid until reply().
    const Request& request() const;

    // For what faces learn about the request.
    Trace& trace() const;

    // Empty strings that kept the memory of earlier replies: for Response::body and ::headers.
    std::string take_buffer();
    std::string take_header_buffer();

    // For requests whose body is streamed: waits for up to into.size() further bytes and gives the
    // exchange back, on the connection's I/O thread. The client is held up until then, so that
    // memory stays constant. `into` is valid until the call of `done`. After kEnd or a failure only
    // reply() is left. A reply before kEnd closes the connection behind it.
    void read_body(std::span<char> into, UniqueFunction<void(Exchange, BodyRead)> done) &&;

    // Ends the exchange. On plain TCP the calling thread tries to send at once, without blocking;
    // what is left, and all of TLS, goes to the connection's I/O thread.
    void reply(Response&& response);

    // Ends it as well, but only begins the reply: `head` has no body, the connection closes behind
    // it. `on_change` is called on the connection's I/O thread, holding no lock, when the client
    // has taken all or is gone; it is quick, and what it uses outlives the server. A server that
    // drains cuts it off.
    std::unique_ptr<LiveReply> reply_live(Response&& head, UniqueFunction<void()> on_change);

private:
    std::shared_ptr<ExchangeTarget> target_;
};

// Called on I/O threads, several at once: an implementation is thread-safe and does not block.
// Outlives the server and every Exchange it was given.
class Handler {
public:
    virtual ~Handler() = default;

    // May reply at once or keep the exchange for another thread. A throw is answered 500.
    virtual void handle(Exchange exchange) = 0;

    // All three are asked when the head is complete, before any of the body is read.
    virtual std::size_t max_body_bytes(const RequestHead& /*head*/) const { return 1 << 20; }
    // True: handle() gets the request without its body and reads that itself. max_body_bytes()
    // then bounds what may be announced; chunked bodies are for the handler to bound.
    virtual bool streams_body(const RequestHead& /*head*/) const { return false; }
    // A reply here spares reading the body; the connection closes behind it.
    virtual std::optional<Response> refuse_early(const RequestHead& /*head*/) const {
        return std::nullopt;
    }

    // Told of every reply to a handed-out request just before it is sent, on the replying thread;
    // head and body are still there. Quick, and does not throw.
    virtual void on_reply(
        const Request& /*request*/, const Trace& /*trace*/, const Response& /*response*/
    ) {}

    // How a refusal of the server itself looks on this face: 400, 408, 413, 417, 431, 500, 501,
    // 503, 505. The connection closes behind it. Called on any thread.
    virtual Response refusal(int status, std::string_view reason) const;
};

}  // namespace gateleg::http

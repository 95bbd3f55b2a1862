// One client's connection: reads requests, hands them out, sends the replies.
//
// Who may touch it. The loop's thread owns everything, except while a request is handed out
// (phase_ is kHandedOut): then the exchange owns request_, the spare strings and what reply()
// sets. reply() gives ownership back through phase_, for a small reply even before send(), since
// the client's next request may be here before send() returns. From then on the replier touches
// only what send_mutex_ guards; the socket is closed under that mutex too, so the descriptor a
// replier sends to is never another's.
//
// A live reply keeps the request handed out until it ends; all it touches meanwhile is what
// send_mutex_ guards.
//
// Between two requests a connection may move to another loop (connection_move.cc). A replier that
// has given ownership back may still have a wake to send: it goes to the loop that was, which
// drops it if the connection has left.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "http/chunked_decoder.h"
#include "http/handler.h"
#include "http/internal/body_buffer.h"
#include "http/internal/io_loop.h"
#include "http/request_parser.h"

namespace gateleg::http {

// Larger buffers are not kept for the next request.
inline constexpr std::size_t kKeptBufferBytes = std::size_t{64} * 1024;

class Connection final : public ExchangeTarget, public std::enable_shared_from_this<Connection> {
public:
    // How willingly a connection is given up for a new one, most willingly first.
    enum class Worth : std::uint8_t { kLeaving, kIdle, kReading, kWorking };

    Connection(
        std::shared_ptr<IoLoop> home,
        boost::asio::ip::tcp::socket socket,
        Handler& handler,
        boost::asio::ssl::context* tls
    );
    ~Connection() override;

    // On the loop's thread.
    void start();
    void start_refused(int status, std::string_view reason);
    void resume();
    // It came from another loop with a request, or a part of one.
    void arrive();
    IoLoop& home() const { return *home_; }
    // Whether it is the loop's, and has arrived there. On the loop's thread.
    bool is_on(const IoLoop& loop) const {
        return loop_.load(std::memory_order_acquire) == &loop &&
               !moving_.load(std::memory_order_relaxed);
    }
    // Sends the reply that the loop gathered. What can be used again is left in the texts.
    void send_gathered(std::string& head, std::string& body);
    void on_tick(std::int64_t now);
    void close_if_idle();
    void close();
    Worth worth() const;
    std::int64_t since() const { return since_; }
    const std::string& remote_address() const { return remote_address_; }

    // For the exchange, on its thread.
    const Request& request() const override { return request_; }
    std::string take_body_buffer() override;
    std::string take_header_buffer() override;
    void reply(Response&& response) override;
    void reply_missing() override;
    void read_body(std::span<char> into, BodyCallback done) override;
    std::unique_ptr<LiveReply> reply_live(Response&& head, UniqueFunction<void()> on_change)
        override;

    // For the live reply, on its thread.
    bool send_live(std::string_view bytes);
    bool is_live_ready() const { return !send_blocked_.load(std::memory_order_acquire); }
    bool is_live_gone();
    void end_live();

    // The loop's index of this connection.
    mutable std::size_t slot = 0;

private:
    enum class Stage : std::uint8_t {
        kHandshake,
        kHead,
        kInPlaceBody,
        kSeparateBody,
        kChunkedBody,
        kStreamedBody,
        kLinger,
        kClosed,
    };
    enum class Progress : std::uint8_t { kNeedInput, kReady, kAnswered };
    struct Pending {
        std::string bytes;
        std::size_t sent = 0;
        std::unique_ptr<FileBody> file = nullptr;  // comes behind `bytes`
        std::uint64_t file_sent = 0;
    };
    static constexpr std::uint8_t kHandedOut = 1;
    static constexpr std::uint8_t kWakeWhenDone = 2;

    // Reading.
    void process();
    Progress advance();
    Progress advance_head();
    Progress begin_body();
    Progress advance_separate_body();
    Progress advance_chunked_body();
    Progress begin_streamed_body();
    Progress refuse(int status, std::string_view reason);
    Progress refuse(Response&& response);
    bool hand_out();
    bool take_back();
    void finish_request();
    void arm_read();
    bool arm_read_ahead();
    void make_room();
    void compact_input();
    void grow_input();
    void read_into(char* data, std::size_t bytes);
    void on_read(bool failed, std::size_t bytes);
    bool leaves();
    void move_to(IoLoop& target);
    void begin_linger();
    void on_lingering_read(std::size_t bytes);
    std::size_t buffered() const { return end_ - begin_; }
    bool is_slow_body(std::int64_t elapsed) const;
    void shed_buffers();

    // Streamed bodies.
    void begin_body_read(std::span<char> into, BodyCallback done);
    void advance_streamed_body();
    void advance_streamed_chunks();
    void on_streamed_read(bool failed, std::size_t bytes);
    void deliver(std::size_t bytes, BodyRead::State state);
    void watch_streamed_body(std::int64_t now);

    // Live replies.
    bool cut_live();
    void tell_live();

    // Sending.
    void send_handed_over();
    void answer(Response&& response);
    void send_reply(Response&& response, ReplyForm form, bool inline_reply);
    void send_locked(std::string_view head, std::string* body);
    void append_pending_locked(Pending&& pending);
    void settle_front_locked(bool failed);
    void wait_writable();
    void on_writable(bool failed);
    bool send_from_file(Pending& front);
    bool fill_from_file(Pending& front);
    void send_own_gathered();
    bool give_back();
    void flush();
    void on_flushed(bool failed, std::size_t bytes);

    IoLoop& loop() const { return *loop_.load(std::memory_order_relaxed); }

    const std::shared_ptr<IoLoop> home_;  // keeps all loops alive
    std::atomic<IoLoop*> loop_;
    std::atomic<bool> moving_{false};  // to loop_, which has not seen it yet
    boost::asio::ip::tcp::socket socket_;
    const int descriptor_;
    std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
    Handler& handler_;
    const std::string remote_address_;

    std::atomic<std::uint8_t> phase_{0};
    std::atomic<bool> has_handed_over_{false};

    // The loop's thread only.
    Stage stage_ = Stage::kHead;
    bool read_armed_ = false;
    bool flushing_ = false;
    bool request_active_ = false;
    bool in_handler_ = false;
    bool gathered_ = false;  // a reply of this connection waits in the loop
    bool ended_ = false;     // the client sends no more
    bool refused_ = false;
    bool head_begun_ = false;     // part of a head is here
    bool request_known_ = false;  // request_.head is of this request
    std::unique_ptr<char[]> input_;
    std::size_t input_capacity_ = 0;
    std::size_t begin_ = 0;  // input not yet taken
    std::size_t end_ = 0;
    std::size_t request_begin_ = 0;  // the handed-out request in input_, padding included
    std::size_t request_end_ = 0;
    std::size_t in_place_bytes_ = 0;
    std::size_t body_limit_ = 0;
    std::size_t lingered_ = 0;
    std::chrono::nanoseconds took_{0};  // the last request, of the loop's time
    std::int64_t flush_since_ = 0;
    // Of a streamed body. stream_done_ is read by reply() as well, which comes after the callback
    // that reported the end.
    std::span<char> body_into_;
    BodyCallback body_done_;  // set while somebody waits
    std::uint64_t body_left_ = 0;
    std::size_t body_begin_ = 0;
    bool continue_due_ = false;
    bool stream_done_ = true;
    bool too_slow_ = false;
    bool in_delivery_ = false;
    std::uint64_t streamed_ = 0;
    std::int64_t waited_ = 0;  // for the client, so far
    std::int64_t watched_at_ = 0;
    RequestParser parser_;
    ChunkedDecoder chunks_;

    // The exchange's while handed out.
    Request request_;
    BodyBuffer body_;
    std::string spare_body_;
    std::string spare_headers_;
    Response handed_over_;  // a reply that the loop has to send
    std::string handed_over_type_;
    bool closing_ = false;
    std::int64_t since_ = 0;               // when this stage began
    UniqueFunction<void()> live_changed_;  // the loop's once live_ is set
    std::atomic<bool> live_{false};

    std::mutex send_mutex_;
    // At most two replies, see flush(), or what a live one was given before it was ready again.
    std::list<Pending> pending_;
    bool send_failed_ = false;
    bool closed_ = false;
    std::atomic<bool> send_blocked_{false};  // pending_ or send_failed_; written under the mutex
};

}  // namespace gateleg::http

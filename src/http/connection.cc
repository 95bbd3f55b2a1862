#include "http/internal/connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include <boost/asio/buffer.hpp>

#include "base/check.h"
#include "base/log.h"

namespace gateleg::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kInitialInputBytes = std::size_t{8} * 1024;
// Behind the longest head there is so much room for the first bytes of a body.
constexpr std::size_t kInputBeyondHead = std::size_t{8} * 1024;
// Less room than this is not worth a read.
constexpr std::size_t kMinReadBytes = 512;
constexpr std::size_t kFirstBodyBytes = std::size_t{64} * 1024;
// A request that kept its thread for longer is slow, and so, for all that is known, is the next.
constexpr std::chrono::microseconds kSlow{250};

std::string peer_address(const tcp::socket& socket) {
    error_code error;
    const auto endpoint = socket.remote_endpoint(error);
    const bool is_ip =
        endpoint.protocol().family() == endpoint.data()->sa_family;  // not a socket file
    return error || !is_ip ? std::string() : endpoint.address().to_string();
}

}  // namespace

Connection::Connection(
    std::shared_ptr<IoLoop> home, tcp::socket socket, Handler& handler, asio::ssl::context* tls
)
    : home_(std::move(home)),
      loop_(home_.get()),
      socket_(std::move(socket)),
      descriptor_(socket_.native_handle()),
      handler_(handler),
      remote_address_(peer_address(socket_)),
      parser_(loop().state().limits.max_head_bytes, loop().state().limits.max_headers),
      body_(loop().state().body_pool) {
    if (tls != nullptr) {
        tls_.emplace(socket_, *tls);
    }
    request_.tls = tls != nullptr;
    request_.remote_address = remote_address_;
    since_ = loop().now();
}

Connection::~Connection() = default;

void Connection::start() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
    if (!tls_) {
        process();
        return;
    }
    stage_ = Stage::kHandshake;
    tls_->async_handshake(
        asio::ssl::stream_base::server,
        [self = shared_from_this()](const error_code& error) {
            if (error) {
                self->close();
            } else if (self->stage_ == Stage::kHandshake) {
                self->stage_ = Stage::kHead;
                self->since_ = self->loop().now();
                self->process();
            }
        }
    );
}

void Connection::start_refused(int status, std::string_view reason) {
    if (tls_) {
        close();  // a handshake is not worth it
        return;
    }
    refuse(status, reason);
    process();
}

// Runs while there is something to do. Precondition: no request is handed out.
void Connection::process() {
    while (stage_ != Stage::kClosed && stage_ != Stage::kLinger) {
        if (send_blocked_.load(std::memory_order_acquire)) {
            flush();
            return;
        }
        if (closing_) {
            begin_linger();
            return;
        }
        switch (advance()) {
            case Progress::kNeedInput:
                if (ended_) {
                    close();
                    return;
                }
                if (send_blocked_.load(std::memory_order_acquire)) {
                    flush();  // "100 Continue"
                }
                arm_read();
                return;
            case Progress::kReady:
                if (!hand_out()) {
                    return;
                }
                finish_request();
                break;
            case Progress::kAnswered:
                break;
        }
    }
}

Connection::Progress Connection::advance() {
    switch (stage_) {
        case Stage::kHead:
            return advance_head();
        case Stage::kInPlaceBody:
            if (buffered() < in_place_bytes_) {
                return Progress::kNeedInput;
            }
            request_.body = {input_.get() + begin_, in_place_bytes_};
            begin_ += in_place_bytes_;
            request_end_ = begin_ + kBodyPadding;
            return Progress::kReady;
        case Stage::kSeparateBody:
            return advance_separate_body();
        case Stage::kChunkedBody:
            return advance_chunked_body();
        case Stage::kStreamedBody:
            return Progress::kReady;
        case Stage::kHandshake:
        case Stage::kLinger:
        case Stage::kClosed:
            break;
    }
    return Progress::kNeedInput;
}

Connection::Progress Connection::advance_head() {
    if (buffered() == 0) {
        return Progress::kNeedInput;
    }
    switch (parser_.feed({input_.get() + begin_, buffered()}, request_.head)) {
        case RequestParser::State::kNeedMore:
            if (!head_begun_) {
                head_begun_ = true;
                since_ = loop().now();
            }
            return Progress::kNeedInput;
        case RequestParser::State::kBad:
            return refuse(parser_.status(), parser_.reason());
        case RequestParser::State::kComplete:
            return begin_body();
    }
    return Progress::kNeedInput;
}

Connection::Progress Connection::begin_body() {
    const RequestHead& head = request_.head;
    // A streamed one goes through the buffer again and again: it gets the largest.
    const bool small =
        head.chunked() && input_capacity_ <= kInitialInputBytes && handler_.streams_body(head);
    if (small ||
        (head.chunked() && input_capacity_ - begin_ - parser_.head_bytes() < kMinReadBytes)) {
        // The decoder needs room behind the head. What moves must be parsed again.
        small || begin_ == 0 ? grow_input() : compact_input();
        parser_.reset();
        return advance_head();
    }
    request_known_ = true;
    if (auto refusal = handler_.refuse_early(head)) {
        return refuse(std::move(*refusal));
    }
    body_limit_ = handler_.max_body_bytes(head);
    const auto announced = head.content_length().value_or(0);
    if (announced > body_limit_) {
        return refuse(413, "The request body is too large");
    }
    request_begin_ = begin_;
    begin_ += parser_.head_bytes();
    request_end_ = begin_ + kBodyPadding;
    since_ = loop().now();
    const bool has_body = head.chunked() || announced != 0;
    if (has_body && handler_.streams_body(head)) {
        return begin_streamed_body();
    }
    // Even if the body is empty: botocore mistakes what follows on the connection if it gets none.
    if (head.expects_continue() && head.minor_version() == 1 && buffered() == 0) {
        send_own_gathered();
        const std::lock_guard lock(send_mutex_);
        send_locked("HTTP/1.1 100 Continue\r\n\r\n", nullptr);
    }
    if (head.chunked()) {
        stage_ = Stage::kChunkedBody;
        chunks_ = ChunkedDecoder();
    } else if (announced <= input_capacity_ - begin_) {
        stage_ = Stage::kInPlaceBody;
        in_place_bytes_ = announced;
    } else {
        stage_ = Stage::kSeparateBody;
        if (!body_.append({input_.get() + begin_, buffered()})) {
            return refuse(503, "Too many large requests at once");
        }
        begin_ = end_;
    }
    return advance();
}

Connection::Progress Connection::advance_separate_body() {
    const std::size_t announced = *request_.head.content_length();
    if (body_.size() == announced) {
        request_.body = body_.view();
        return Progress::kReady;
    }
    if (body_.free_bytes() == 0 || body_.capacity() < kFirstBodyBytes) {
        const auto wanted = std::min(announced, std::max(2 * body_.capacity(), kFirstBodyBytes));
        if (!body_.ensure_capacity(wanted)) {
            return refuse(503, "Too many large requests at once");
        }
    }
    return Progress::kNeedInput;
}

Connection::Progress Connection::advance_chunked_body() {
    std::string_view input(input_.get() + begin_, buffered());
    for (;;) {
        std::string_view piece;
        const auto event = chunks_.next(input, piece);
        begin_ = end_ - input.size();
        switch (event) {
            case ChunkedDecoder::Event::kData:
                if (piece.size() > body_limit_ - body_.size()) {
                    return refuse(413, "The request body is too large");
                }
                if (!body_.append(piece)) {
                    return refuse(503, "Too many large requests at once");
                }
                break;
            case ChunkedDecoder::Event::kBad:
                return refuse(400, "The chunked body is malformed");
            case ChunkedDecoder::Event::kEnd:
                // An empty body has padding too.
                if (!body_.ensure_capacity(1)) {
                    return refuse(503, "Too many large requests at once");
                }
                request_.body = body_.view();
                return Progress::kReady;
            case ChunkedDecoder::Event::kNeedMore:
                // All taken: the next bytes may overwrite these, but not the head before them.
                begin_ = end_ = request_begin_ + parser_.head_bytes();
                return Progress::kNeedInput;
        }
    }
}

Connection::Progress Connection::refuse(int status, std::string_view reason) {
    return refuse(handler_.refusal(status, reason));
}

Connection::Progress Connection::refuse(Response&& response) {
    send_own_gathered();
    refused_ = true;
    body_.free();
    ReplyForm form;
    form.close = true;
    // The method is known only once the head was parsed.
    form.head_only = request_known_ && request_.head.method() == "HEAD";
    send_reply(std::move(response), form, true);
    return Progress::kAnswered;
}

// Gives the request to the handler. True if it is answered already.
bool Connection::hand_out() {
    const bool streamed = stage_ == Stage::kStreamedBody;
    if (!streamed) {
        stage_ = Stage::kHead;
        parser_.reset();
        head_begun_ = request_known_ = false;
    }
    request_active_ = true;
    // Replies of others do not wait for what is likely to take long.
    if (gathered_ || took_ > kSlow) {
        loop().send_gathered();
    }
    const auto began = std::chrono::steady_clock::now();
    // Behind a streamed body nothing is read ahead, so the reply must always wake the loop.
    phase_.store(streamed ? kHandedOut | kWakeWhenDone : kHandedOut, std::memory_order_relaxed);
    in_handler_ = true;
    try {
        handler_.handle(Exchange(shared_from_this()));
    } catch (const std::exception& thrown) {
        log_error("request handler threw", {{"what", thrown.what()}});
    } catch (...) {
        log_error("request handler threw");
    }
    in_handler_ = false;
    took_ = std::chrono::steady_clock::now() - began;
    const bool answered = phase_.load(std::memory_order_acquire) == 0;
    loop().note_request(*this, answered);
    if (answered) {
        return true;
    }
    if (streamed) {
        return false;
    }
    // The reply comes later. To see the next request without being told, read on meanwhile.
    if (buffered() == 0 && !ended_ && arm_read_ahead()) {
        return false;
    }
    return take_back();
}

// True if the request is not, or no longer, handed out; otherwise reply() will wake the loop.
bool Connection::take_back() {
    const auto before = phase_.fetch_or(kWakeWhenDone, std::memory_order_acq_rel);
    if ((before & kHandedOut) != 0) {
        return false;
    }
    phase_.store(0, std::memory_order_relaxed);
    return true;
}

void Connection::finish_request() {
    request_active_ = false;
    body_.clear();
    if (body_.capacity() > kKeptBufferBytes) {
        body_.free();
    }
    if (!read_armed_ && begin_ == end_) {
        begin_ = end_ = 0;
    }
}

void Connection::arm_read() {
    if (read_armed_) {
        return;
    }
    if (stage_ == Stage::kSeparateBody) {
        const std::size_t missing = *request_.head.content_length() - body_.size();
        read_into(body_.free_space(), std::min(body_.free_bytes(), missing));
        return;
    }
    if (stage_ == Stage::kLinger) {
        begin_ = end_ = 0;
    }
    if (stage_ == Stage::kHead) {
        make_room();
    }
    if (input_capacity_ == 0) {
        grow_input();
    }
    read_into(input_.get() + end_, input_capacity_ - end_);
}

// Reads into a part of the buffer that the handed-out request does not use. False if too small.
bool Connection::arm_read_ahead() {
    const auto behind = std::max(input_capacity_, request_end_) - request_end_;
    const auto room = std::max(behind, request_begin_);
    if (read_armed_ || room < kMinReadBytes) {
        return read_armed_;
    }
    begin_ = end_ = room == behind ? request_end_ : 0;
    read_into(input_.get() + begin_, room);
    return true;
}

void Connection::make_room() {
    if (begin_ == end_) {
        begin_ = end_ = 0;
    }
    if (input_capacity_ - end_ >= kMinReadBytes) {
        return;
    }
    if (begin_ > 0) {
        compact_input();
    } else if (end_ == input_capacity_) {
        grow_input();
    }
}

void Connection::compact_input() {
    std::memmove(input_.get(), input_.get() + begin_, buffered());
    end_ = buffered();
    begin_ = 0;
}

void Connection::grow_input() {
    const auto largest = loop().state().limits.max_head_bytes + kInputBeyondHead;
    const auto capacity = input_capacity_ == 0 ? std::min(kInitialInputBytes, largest) : largest;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity + kBodyPadding);
    if (buffered() != 0) {
        std::memcpy(larger.get(), input_.get() + begin_, buffered());
    }
    end_ = buffered();
    begin_ = 0;
    input_ = std::move(larger);
    input_capacity_ = capacity;
}

void Connection::read_into(char* data, std::size_t bytes) {
    GATELEG_CHECK(bytes != 0);
    read_armed_ = true;
    auto done = [self = shared_from_this()](const error_code& error, std::size_t received) {
        self->on_read(static_cast<bool>(error), received);
    };
    const auto target = asio::buffer(data, bytes);
    tls_ ? tls_->async_read_some(target, std::move(done))
         : socket_.async_read_some(target, std::move(done));
}

void Connection::on_read(bool failed, std::size_t bytes) {
    read_armed_ = false;
    ended_ = ended_ || failed;
    if (body_done_) {
        on_streamed_read(failed, bytes);
        return;
    }
    if (stage_ == Stage::kClosed) {
        return;
    }
    if (stage_ == Stage::kLinger) {
        on_lingering_read(bytes);
        return;
    }
    if (stage_ == Stage::kSeparateBody) {
        body_.grew(bytes);
    } else {
        end_ += bytes;
    }
    if (cut_live()) {
        return;
    }
    if (request_active_) {
        if (!take_back()) {
            return;
        }
        finish_request();
    }
    if (!leaves()) {
        process();
    }
}

void Connection::resume() {
    if (has_handed_over_.load(std::memory_order_acquire)) {
        send_handed_over();
    }
    if (stage_ == Stage::kClosed) {
        error_code ignored;
        socket_.close(ignored);
        return;
    }
    if (send_blocked_.load(std::memory_order_acquire)) {
        flush();
    }
    if (phase_.load(std::memory_order_acquire) != 0) {
        cut_live();
        return;
    }
    if (request_active_) {
        finish_request();
    }
    process();
}

}  // namespace gateleg::http

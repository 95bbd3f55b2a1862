// How connections end: deadlines, room for others, and the last reply on its way.

#include "http/internal/connection.h"

namespace gateleg::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Idle for so long, a connection gives its buffers back, except the one it reads into.
constexpr std::int64_t kShedAfterMillis = 5'000;

}  // namespace

// The closing reply is sent. To close now, with input unread, would send a reset that can
// overtake the reply: so no more is sent, and what still comes is dropped for a while.
void Connection::begin_linger() {
    stage_ = Stage::kLinger;
    since_ = loop().now();
    if (ended_) {
        close();
        return;
    }
    if (!tls_) {
        error_code ignored;
        socket_.shutdown(tcp::socket::shutdown_send, ignored);
    } else if (!refused_ && !read_armed_) {
        tls_->async_shutdown([self = shared_from_this()](const error_code&) { self->close(); });
        return;
    }
    arm_read();
}

void Connection::on_lingering_read(std::size_t bytes) {
    lingered_ += bytes;
    if (ended_ || lingered_ > loop().state().limits.linger_bytes) {
        close();
        return;
    }
    arm_read();
}

void Connection::on_tick(std::int64_t now) {
    const Limits& limits = loop().state().limits;
    if (flushing_ && now - flush_since_ > limits.write_stall.count()) {
        close();
        return;
    }
    if (body_done_) {
        watch_streamed_body(now);
        return;
    }
    if (flushing_ || phase_.load(std::memory_order_acquire) != 0) {
        return;
    }
    if (request_active_) {
        finish_request();
    }
    const auto elapsed = now - since_;
    switch (stage_) {
        case Stage::kHandshake:
            if (elapsed > limits.handshake_deadline.count()) {
                close();
            }
            break;
        case Stage::kLinger:
            if (elapsed > limits.linger.count()) {
                close();
            }
            break;
        case Stage::kHead:
            if (buffered() != 0) {
                if (elapsed > limits.head_deadline.count()) {
                    refuse(408, "The request head took too long");
                    process();
                }
            } else if (elapsed > limits.idle_timeout.count()) {
                close();
            } else if (elapsed > kShedAfterMillis) {
                shed_buffers();
            }
            break;
        case Stage::kInPlaceBody:
        case Stage::kSeparateBody:
        case Stage::kChunkedBody:
            if (elapsed > limits.body_grace.count() && is_slow_body(elapsed)) {
                refuse(408, "The request body took too long");
                process();
            }
            break;
        case Stage::kStreamedBody:  // answered before its end, and about to close
        case Stage::kClosed:
            break;
    }
}

bool Connection::is_slow_body(std::int64_t elapsed) const {
    const auto received = stage_ == Stage::kInPlaceBody ? buffered() : body_.size();
    const auto rate = loop().state().limits.min_body_bytes_per_second;
    return received < rate * static_cast<std::size_t>(elapsed) / 1000;
}

void Connection::shed_buffers() {
    body_.free();
    spare_body_ = std::string();
    spare_headers_ = std::string();
}

void Connection::close_if_idle() {
    error_code ignored;
    if (live_.load(std::memory_order_acquire)) {
        close();
    } else if (worth() == Worth::kIdle && socket_.available(ignored) == 0) {
        close();
    }
}

void Connection::close() {
    send_own_gathered();
    if (stage_ == Stage::kClosed) {
        return;
    }
    stage_ = Stage::kClosed;
    {
        const std::lock_guard lock(send_mutex_);
        closed_ = true;
        for (auto& pending : pending_) {
            pending.file.reset();  // its owner may not outlive the server by much
        }
        error_code ignored;
        if (take_back()) {
            socket_.close(ignored);
        } else {
            // The descriptor stays taken until the reply was given up: resume() or the destructor.
            socket_.shutdown(tcp::socket::shutdown_both, ignored);
            socket_.cancel(ignored);
        }
    }
    loop().forget(*this);
    tell_live();
    if (body_done_ && !read_armed_) {
        deliver(0, BodyRead::State::kGone);
    }
}

Connection::Worth Connection::worth() const {
    if (phase_.load(std::memory_order_acquire) != 0) {
        return Worth::kWorking;
    }
    if (stage_ == Stage::kLinger) {
        return Worth::kLeaving;
    }
    const bool idle =
        stage_ == Stage::kHead && buffered() == 0 && !send_blocked_.load(std::memory_order_acquire);
    return idle ? Worth::kIdle : Worth::kReading;
}

}  // namespace gateleg::http

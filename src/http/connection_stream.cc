// The half of a connection that reads streamed bodies: a piece whenever the exchange asks for one.

#include <algorithm>
#include <cstring>
#include <utility>

#include "http/internal/connection.h"

namespace gateleg::http {

Connection::Progress Connection::begin_streamed_body() {
    const RequestHead& head = request_.head;
    stage_ = Stage::kStreamedBody;
    request_.body = {};
    body_begin_ = begin_;
    body_left_ = head.content_length().value_or(0);
    chunks_ = ChunkedDecoder();
    continue_due_ = head.expects_continue() && head.minor_version() == 1;
    stream_done_ = too_slow_ = false;
    streamed_ = 0;
    waited_ = 0;
    return Progress::kReady;
}

void Connection::read_body(std::span<char> into, BodyCallback done) {
    if (stream_done_) {
        done({0, BodyRead::State::kEnd});
        return;
    }
    // Not from within the callback of the read before: pieces must not pile up on the stack.
    if (loop().is_current_thread() && !in_delivery_) {
        begin_body_read(into, std::move(done));
        return;
    }
    const auto shared_done = std::make_shared<BodyCallback>(std::move(done));
    UniqueFunction<void()> job = [self = shared_from_this(), into, shared_done] {
        self->begin_body_read(into, std::move(*shared_done));
    };
    if (!loop().post(job)) {
        (*shared_done)({0, BodyRead::State::kGone});
    }
}

void Connection::begin_body_read(std::span<char> into, BodyCallback done) {
    body_into_ = into;
    body_done_ = std::move(done);
    watched_at_ = loop().now();
    advance_streamed_body();
}

void Connection::advance_streamed_body() {
    if (stage_ == Stage::kClosed) {
        deliver(0, BodyRead::State::kGone);
        return;
    }
    if (std::exchange(continue_due_, false) && buffered() == 0) {
        {
            const std::lock_guard lock(send_mutex_);
            send_locked("HTTP/1.1 100 Continue\r\n\r\n", nullptr);
        }
        if (send_blocked_.load(std::memory_order_acquire)) {
            flush();
        }
    }
    if (request_.head.chunked()) {
        advance_streamed_chunks();
        return;
    }
    const auto room = std::min<std::uint64_t>(body_into_.size(), body_left_);
    if (buffered() != 0) {
        const auto bytes = std::min<std::size_t>(room, buffered());
        std::memcpy(body_into_.data(), input_.get() + begin_, bytes);
        begin_ += bytes;
        body_left_ -= bytes;
        deliver(bytes, body_left_ == 0 ? BodyRead::State::kEnd : BodyRead::State::kMore);
    } else if (ended_) {
        deliver(0, BodyRead::State::kGone);
    } else {
        read_into(body_into_.data(), room);
    }
}

void Connection::advance_streamed_chunks() {
    std::size_t filled = 0;
    while (filled != body_into_.size()) {
        // What comes out is never more than what goes in.
        std::string_view input(
            input_.get() + begin_, std::min(buffered(), body_into_.size() - filled)
        );
        const auto offered = input.size();
        std::string_view piece;
        const auto event = chunks_.next(input, piece);
        begin_ += offered - input.size();
        if (event == ChunkedDecoder::Event::kBad) {
            deliver(0, BodyRead::State::kMalformed);
            return;
        }
        if (event == ChunkedDecoder::Event::kEnd) {
            deliver(filled, BodyRead::State::kEnd);
            return;
        }
        if (event == ChunkedDecoder::Event::kData) {
            std::memcpy(body_into_.data() + filled, piece.data(), piece.size());
            filled += piece.size();
        } else if (buffered() == 0) {
            break;
        }
    }
    if (filled != 0) {
        deliver(filled, BodyRead::State::kMore);
        return;
    }
    if (ended_) {
        deliver(0, BodyRead::State::kGone);
        return;
    }
    begin_ = end_ = body_begin_;  // behind the head, which the exchange still uses
    read_into(input_.get() + begin_, input_capacity_ - begin_);
}

void Connection::on_streamed_read(bool failed, std::size_t bytes) {
    if (stage_ == Stage::kClosed) {
        deliver(0, BodyRead::State::kGone);
    } else if (too_slow_) {
        deliver(0, BodyRead::State::kTooSlow);
    } else if (request_.head.chunked()) {
        end_ += bytes;
        advance_streamed_chunks();
    } else if (failed) {
        deliver(0, BodyRead::State::kGone);
    } else {
        body_left_ -= bytes;
        deliver(bytes, body_left_ == 0 ? BodyRead::State::kEnd : BodyRead::State::kMore);
    }
}

void Connection::deliver(std::size_t bytes, BodyRead::State state) {
    auto done = std::exchange(body_done_, BodyCallback());
    streamed_ += bytes;
    waited_ += loop().now() - watched_at_;
    if (state == BodyRead::State::kEnd) {
        stage_ = Stage::kHead;
        parser_.reset();
        head_begun_ = request_known_ = false;
        stream_done_ = true;
    }
    in_delivery_ = true;
    done({bytes, state});
    in_delivery_ = false;
}

void Connection::watch_streamed_body(std::int64_t now) {
    const Limits& limits = loop().state().limits;
    const auto waited = waited_ + now - watched_at_;
    const auto due = limits.min_body_bytes_per_second * static_cast<std::uint64_t>(waited) / 1000;
    if (waited > limits.body_grace.count() && streamed_ < due && !too_slow_) {
        too_slow_ = true;
        boost::system::error_code ignored;
        socket_.cancel(ignored);  // on_streamed_read() tells
    }
}

}  // namespace gateleg::http

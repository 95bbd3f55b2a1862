// The sending half of a connection: replies from any thread, what they leave over on the loop.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/burst.h"
#include "base/check.h"
#include "base/log.h"
#include "http/internal/connection.h"

namespace gateleg::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Copied behind the head, so that one buffer is sent; larger ones are sent from where they are.
constexpr std::size_t kCopiedBodyBytes = std::size_t{8} * 1024;
// Replies up to this size wait for a few others, if requests take so long that a client which is
// woken for each would sleep in between.
constexpr std::size_t kGatheredBodyBytes = std::size_t{64} * 1024;
constexpr std::chrono::microseconds kWorthGathering{15};
// Sent from a file before other connections have their turn, and held in memory for TLS.
constexpr std::size_t kFileShareBytes = std::size_t{1} << 20;
constexpr std::size_t kFilePieceBytes = std::size_t{64} * 1024;

void recycle(std::string& spare, std::string& used) {
    if (used.capacity() > spare.capacity() && used.capacity() <= kKeptBufferBytes) {
        spare.swap(used);
        spare.clear();
    }
}

// What the socket takes at once of both; one part alone takes the kernel less.
ssize_t send_parts(int descriptor, std::string_view head, std::string_view body) {
    constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
    if (body.empty()) {
        return ::send(descriptor, head.data(), head.size(), kFlags);
    }
    iovec parts[2] = {
        {const_cast<char*>(head.data()), head.size()},
        {const_cast<char*>(body.data()), body.size()},
    };
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    return ::sendmsg(descriptor, &message, kFlags);
}

}  // namespace

std::string Connection::take_body_buffer() {
    return std::exchange(spare_body_, std::string());
}

std::string Connection::take_header_buffer() {
    return std::exchange(spare_headers_, std::string());
}

void Connection::reply(Response&& response) {
    if (Burst::is_active() && !loop().is_current_thread() && !response.file) {
        handed_over_type_ = response.content_type;
        handed_over_ = std::move(response);
        handed_over_.content_type = handed_over_type_;
        has_handed_over_.store(true, std::memory_order_release);
        loop().wake(shared_from_this());
        return;
    }
    response.headers.append(trace.headers);
    handler_.on_reply(request_, trace, response);
    answer(std::move(response));
}

// On the loop's thread.
void Connection::send_handed_over() {
    has_handed_over_.store(false, std::memory_order_relaxed);
    in_handler_ = true;  // resume() goes on with the next request
    reply(std::exchange(handed_over_, {}));
    in_handler_ = false;
}

void Connection::answer(Response&& response) {
    const bool inline_reply = loop().is_current_thread() && in_handler_;
    ReplyForm form;
    form.head_only = request_.head.method() == "HEAD";
    form.http_1_0 = request_.head.minor_version() == 0;
    form.close = response.close || !request_.head.keep_alive() || !stream_done_ ||
                 loop().state().draining.load(std::memory_order_relaxed);
    if (body_.capacity() > kKeptBufferBytes) {
        body_.free();
    }
    send_reply(std::move(response), form, inline_reply);
}

void Connection::reply_missing() {
    Response response;
    {
        const std::lock_guard lock(send_mutex_);
        if (closed_) {
            response.status = 500;  // nobody reads it, and the handler may be gone
        }
    }
    if (response.status != 500) {
        log_error("request was dropped without a reply");
        response = handler_.refusal(500, "The request was not answered");
        handler_.on_reply(request_, trace, response);
    }
    response.close = true;
    answer(std::move(response));
}

void Connection::send_reply(Response&& response, ReplyForm form, bool inline_reply) {
    GATELEG_CHECK(!inline_reply || !gathered_);
    thread_local std::string head;
    head.clear();
    append_response_head(head, response, form);
    std::string separate_body;
    const bool with_body = sends_body(response, form);
    std::unique_ptr<FileBody> file;
    if (with_body && response.file) {
        file = std::move(response.file);
    } else if (with_body && response.body.size() > kCopiedBodyBytes) {
        separate_body.swap(response.body);
    } else if (with_body) {
        head.append(response.body);
    }
    recycle(spare_headers_, response.headers);
    recycle(spare_body_, response.body);
    IoLoop& loop = this->loop();  // once given back, it may change
    since_ = loop.now();
    closing_ = form.close;
    if (inline_reply && took_ >= kWorthGathering && !form.close && !tls_ && !file &&
        separate_body.size() <= kGatheredBodyBytes) {
        gathered_ = true;
        give_back();
        loop.gather(shared_from_this(), head, separate_body);
        return;
    }
    bool wake = form.close;
    const bool early = !form.close && !tls_ && separate_body.empty() && !file;
    {
        const std::lock_guard lock(send_mutex_);
        if (early) {
            wake = give_back();
        }
        send_locked(head, &separate_body);
        if (file && file->bytes() != 0) {
            append_pending_locked({.file = std::move(file)});
        }
        wake = wake || send_blocked_.load(std::memory_order_relaxed);
    }
    if (!early) {
        recycle(spare_body_, separate_body);
        wake = give_back() || wake;
    }
    if (wake && !inline_reply) {
        loop.wake(shared_from_this());
    }
}

void Connection::send_gathered(std::string& head, std::string& body) {
    gathered_ = false;
    bool blocked = false;
    {
        const std::lock_guard lock(send_mutex_);
        send_locked(head, &body);
        blocked = send_blocked_.load(std::memory_order_relaxed);
    }
    recycle(spare_body_, body);
    if (blocked) {
        flush();
    }
}

// Before anything else is sent or the connection is closed.
void Connection::send_own_gathered() {
    if (gathered_) {
        loop().send_gathered();
    }
}

// True if the loop waits to be woken.
bool Connection::give_back() {
    return (phase_.exchange(0, std::memory_order_acq_rel) & kWakeWhenDone) != 0;
}

// Sends what the socket takes at once; the rest becomes pending_.
void Connection::send_locked(std::string_view head, std::string* body) {
    if (closed_ || send_failed_) {
        return;
    }
    std::size_t sent = 0;
    const std::size_t body_bytes = body == nullptr ? 0 : body->size();
    if (!tls_ && pending_.empty()) {
        const auto result = send_parts(
            descriptor_, head, body_bytes == 0 ? std::string_view() : std::string_view(*body)
        );
        if (result < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            send_failed_ = true;
            send_blocked_.store(true, std::memory_order_release);
            return;
        }
        sent = result < 0 ? 0 : static_cast<std::size_t>(result);
    }
    if (sent == head.size() + body_bytes) {
        return;
    }
    if (sent < head.size()) {
        append_pending_locked({.bytes = std::string(head.substr(sent))});
    }
    if (body_bytes != 0) {
        append_pending_locked(
            {.bytes = std::exchange(*body, std::string()),
             .sent = sent > head.size() ? sent - head.size() : 0}
        );
    }
}

void Connection::append_pending_locked(Pending&& pending) {
    if (!closed_ && !send_failed_) {
        pending_.push_back(std::move(pending));
        send_blocked_.store(true, std::memory_order_release);
    }
}

// Sends pending_ on the loop. No new request starts meanwhile, but one may have been handed out
// before the short send was known: hence two replies at most.
void Connection::flush() {
    if (flushing_ || stage_ == Stage::kClosed) {
        return;
    }
    Pending* front = nullptr;  // stays where it is while others are added
    {
        const std::lock_guard lock(send_mutex_);
        front = send_failed_ ? nullptr : &pending_.front();
    }
    const bool from_file = front != nullptr && front->sent == front->bytes.size() && front->file;
    if (from_file && !tls_) {
        wait_writable();
        return;
    }
    if (front == nullptr || (from_file && !fill_from_file(*front))) {
        close();
        return;
    }
    flushing_ = true;
    flush_since_ = loop().now();
    auto done = [self = shared_from_this()](const error_code& error, std::size_t sent) {
        self->on_flushed(static_cast<bool>(error), sent);
    };
    const auto source =
        asio::buffer(front->bytes.data() + front->sent, front->bytes.size() - front->sent);
    tls_ ? tls_->async_write_some(source, std::move(done))
         : socket_.async_write_some(source, std::move(done));
}

void Connection::on_flushed(bool failed, std::size_t bytes) {
    flushing_ = false;
    if (stage_ == Stage::kClosed) {
        return;
    }
    {
        const std::lock_guard lock(send_mutex_);
        pending_.front().sent += bytes;
        settle_front_locked(failed);
    }
    if (is_live_ready()) {
        tell_live();
    }
    resume();
}

void Connection::settle_front_locked(bool failed) {
    send_failed_ = send_failed_ || failed;
    const Pending& front = pending_.front();
    if (front.sent == front.bytes.size() &&
        (!front.file || front.file_sent == front.file->bytes())) {
        pending_.pop_front();
    }
    send_blocked_.store(send_failed_ || !pending_.empty(), std::memory_order_release);
}

void Connection::wait_writable() {
    flushing_ = true;
    flush_since_ = loop().now();
    socket_.async_wait(
        asio::socket_base::wait_write,
        [self = shared_from_this()](const error_code& error) {
            self->on_writable(static_cast<bool>(error));
        }
    );
}

void Connection::on_writable(bool failed) {
    flushing_ = false;
    if (stage_ == Stage::kClosed) {
        return;
    }
    Pending* front = nullptr;
    {
        const std::lock_guard lock(send_mutex_);
        front = &pending_.front();
    }
    failed = failed || !send_from_file(*front);
    {
        const std::lock_guard lock(send_mutex_);
        settle_front_locked(failed);
    }
    resume();
}

// As much as the socket takes, up to a share that lets other connections have their turn. False if
// no more can come.
bool Connection::send_from_file(Pending& front) {
    error_code error;
    if (!socket_.native_non_blocking() && socket_.native_non_blocking(true, error)) {
        return false;
    }
    std::size_t share = kFileShareBytes;
    while (share != 0 && front.file_sent < front.file->bytes()) {
        const auto stretch = front.file->stretch(front.file_sent);
        if (!stretch || stretch->bytes == 0) {
            return false;
        }
        auto offset = static_cast<off_t>(stretch->offset);
        const auto left = std::min(stretch->bytes, front.file->bytes() - front.file_sent);
        const auto sent =
            sendfile(descriptor_, stretch->fd, &offset, std::min<std::uint64_t>(left, share));
        if (sent < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (sent == 0) {
            return false;  // the file is shorter than it was
        }
        front.file_sent += static_cast<std::uint64_t>(sent);
        share -= static_cast<std::size_t>(sent);
    }
    return true;
}

// The next piece in memory, for TLS.
bool Connection::fill_from_file(Pending& front) {
    const auto stretch = front.file->stretch(front.file_sent);
    if (!stretch || stretch->bytes == 0) {
        return false;
    }
    const auto left = std::min(stretch->bytes, front.file->bytes() - front.file_sent);
    front.bytes.resize(std::min<std::uint64_t>(left, kFilePieceBytes));
    const auto got = pread(
        stretch->fd, front.bytes.data(), front.bytes.size(), static_cast<off_t>(stretch->offset)
    );
    if (got <= 0) {
        return false;
    }
    front.bytes.resize(static_cast<std::size_t>(got));
    front.sent = 0;
    front.file_sent += static_cast<std::uint64_t>(got);
    return true;
}

}  // namespace gateleg::http

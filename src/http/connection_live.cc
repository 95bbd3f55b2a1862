// Live replies: a connection whose one reply goes on until its client, its maker or the server ends
// it.

#include <utility>

#include "http/internal/connection.h"

namespace gateleg::http {
namespace {

class LiveConnection final : public LiveReply {
public:
    explicit LiveConnection(std::shared_ptr<Connection> connection)
        : connection_(std::move(connection)) {}
    ~LiveConnection() override { connection_->end_live(); }
    LiveConnection(const LiveConnection&) = delete;
    LiveConnection& operator=(const LiveConnection&) = delete;

    bool send(std::string_view bytes) override { return connection_->send_live(bytes); }
    bool is_ready() const override { return connection_->is_live_ready(); }
    bool is_gone() const override { return connection_->is_live_gone(); }

private:
    const std::shared_ptr<Connection> connection_;
};

}  // namespace

std::unique_ptr<LiveReply> Connection::reply_live(
    Response&& head, UniqueFunction<void()> on_change
) {
    head.headers.append(trace.headers);
    handler_.on_reply(request_, trace, head);
    auto reply = std::make_unique<LiveConnection>(shared_from_this());
    std::string text;
    append_response_head(text, head, {.close = true, .live = true});
    live_changed_ = std::move(on_change);
    live_.store(true, std::memory_order_release);
    send_live(text);
    // Even if all was sent: the client may have left before anybody watched for that.
    loop().wake(shared_from_this());
    return reply;
}

bool Connection::send_live(std::string_view bytes) {
    bool blocked = false;
    {
        const std::lock_guard lock(send_mutex_);
        if (closed_ || send_failed_) {
            return false;
        }
        send_locked(bytes, nullptr);
        blocked = send_blocked_.load(std::memory_order_relaxed);
    }
    if (blocked) {
        loop().wake(shared_from_this());
    }
    return true;
}

bool Connection::is_live_gone() {
    const std::lock_guard lock(send_mutex_);
    return closed_ || send_failed_;
}

void Connection::end_live() {
    live_.store(false, std::memory_order_release);
    closing_ = true;
    IoLoop& loop = this->loop();
    since_ = loop.now();
    give_back();
    loop.wake(shared_from_this());
}

// On the loop, when something came from the client of a live reply: it has nothing more to say, so
// it has left or does not speak HTTP. True if there was one.
bool Connection::cut_live() {
    if (!live_.load(std::memory_order_acquire)) {
        return false;
    }
    if (ended_ || buffered() != 0) {
        close();
    }
    return true;
}

void Connection::tell_live() {
    if (live_.load(std::memory_order_acquire) && live_changed_) {
        live_changed_();
    }
}

}  // namespace gateleg::http

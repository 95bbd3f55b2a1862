// How a connection moves to another loop: between two requests, with what it has read of the next.

#include <utility>

#include <unistd.h>

#include "http/internal/connection.h"

namespace gateleg::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

}  // namespace

// Called when something was read. True if the connection is another loop's from now on.
bool Connection::leaves() {
    IoLoop& target = loop().state().loop_for(*home_);
    if (&target == &loop() || tls_ || stage_ != Stage::kHead || request_active_ || read_armed_ ||
        flushing_ || gathered_ || closing_ || ended_ || !target.has_room_for_guests()) {
        return false;
    }
    {
        // Whoever sent the last reply may still be at it.
        const std::lock_guard lock(send_mutex_);
        if (send_blocked_.load(std::memory_order_relaxed)) {
            return false;
        }
    }
    move_to(target);
    return true;
}

void Connection::move_to(IoLoop& target) {
    error_code error;
    socket_.release(error);
    tcp::socket socket(target.io());
    // Of the protocol only that it is a stream matters here.
    socket.assign(tcp::v4(), descriptor_, error);
    socket_ = std::move(socket);
    if (error) {
        close();
        ::close(descriptor_);
        return;
    }
    IoLoop& source = loop();
    target.expect_one();
    source.remove(*this);
    moving_.store(true, std::memory_order_relaxed);
    loop_.store(&target, std::memory_order_release);
    // From here on it is the target's, unless that has ended.
    if (!target.take(shared_from_this())) {
        loop_.store(&source, std::memory_order_release);
        moving_.store(false, std::memory_order_relaxed);
        source.add(shared_from_this());
        close();
    }
}

void Connection::arrive() {
    moving_.store(false, std::memory_order_relaxed);
    process();
}

}  // namespace gateleg::http

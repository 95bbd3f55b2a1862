#include "http/test_client.h"

#include <cerrno>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/check.h"

namespace gateleg::http {

TestClient::TestClient(std::uint16_t port, int receive_buffer_bytes)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    GATELEG_CHECK(descriptor_ >= 0);
    if (receive_buffer_bytes != 0) {
        setsockopt(
            descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes
        );
    }
    const timeval patience{10, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ending_ = "unreachable";
    }
}

TestClient::~TestClient() {
    ::close(descriptor_);
}

bool TestClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void TestClient::end_sending() {
    ::shutdown(descriptor_, SHUT_WR);
}

bool TestClient::receive() {
    if (!ending_.empty()) {
        return false;
    }
    char bytes[65536];
    const auto count = ::recv(descriptor_, bytes, sizeof bytes, 0);
    if (count > 0) {
        received_.append(bytes, static_cast<std::size_t>(count));
        return true;
    }
    ending_ = count == 0 ? "end" : errno == EAGAIN ? "timeout" : "reset";
    return false;
}

std::string TestClient::read_reply(bool head_only) {
    std::size_t head_end = 0;
    while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) {
            return {};
        }
    }
    std::size_t length = head_end + 4;
    const auto field = received_.find("Content-Length: ");
    if (!head_only && field < head_end) {
        length += std::strtoul(received_.c_str() + field + 16, nullptr, 10);
    }
    while (received_.size() < length) {
        if (!receive()) {
            return {};
        }
    }
    auto reply = received_.substr(0, length);
    received_.erase(0, length);
    return reply;
}

std::string TestClient::read_to_end() {
    while (receive()) {
    }
    return ending_ == "end" ? received_ : received_ + ending_;
}

bool TestClient::is_closed_soon() {
    const timeval patience{1, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    while (receive()) {
    }
    const bool closed = ending_ != "timeout";
    if (!closed) {
        ending_.clear();
    }
    return closed && received_.empty();
}

}  // namespace gateleg::http

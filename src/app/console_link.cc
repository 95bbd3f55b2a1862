#include "app/console_link.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/admin_socket.h"
#include "value/json_tree.h"

namespace gateleg::app {
namespace {

constexpr std::string_view kRequest =
    "POST /_/link HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::size_t kMostBytes = 64 * 1024;
constexpr timeval kPatience{10, 0};

class Socket {
public:
    explicit Socket(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            const std::string reason = std::strerror(errno);
            ::close(socket_);
            throw std::runtime_error("no server answers there: " + reason);
        }
    }
    ~Socket() { ::close(socket_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    // Everything the server says until it closes.
    std::string ask(std::string_view request) const {
        if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request.size())) {
            throw std::runtime_error("the server does not listen");
        }
        std::string answer;
        char piece[4096];
        while (answer.size() < kMostBytes) {
            const auto got = ::recv(socket_, piece, sizeof piece, 0);
            if (got <= 0) {
                break;
            }
            answer.append(piece, static_cast<std::size_t>(got));
        }
        return answer;
    }

private:
    int socket_;
};

}  // namespace

std::string request_console_link(const std::filesystem::path& data) {
    if (!std::filesystem::is_directory(data)) {
        throw std::runtime_error(data.string() + " is not a data directory");
    }
    const AdminSocket admin(data);
    const auto answer = Socket(admin.path()).ask(kRequest);
    const auto body = answer.find("\r\n\r\n");
    if (!answer.starts_with("HTTP/1.1 200") || body == std::string::npos) {
        throw std::runtime_error("the server of " + data.string() + " gave no link");
    }
    const auto parsed = value::parse_json(std::string_view(answer).substr(body + 4));
    const auto* members = parsed ? std::get_if<value::Map>(&parsed->data) : nullptr;
    const auto url = members != nullptr ? members->find("url") : value::Map::const_iterator();
    if (members == nullptr || url == members->end() ||
        !std::holds_alternative<std::string>(url->second.data)) {
        throw std::runtime_error("the server of " + data.string() + " gave no link");
    }
    return std::get<std::string>(url->second.data);
}

}  // namespace gateleg::app

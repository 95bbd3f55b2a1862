#include "remote/test_server.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gateleg::remote {

std::string http_reply(int status, std::string_view body, std::string_view headers) {
    return "HTTP/1.1 " + std::to_string(status) +
           " Scripted\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(headers) + "\r\n" + std::string(body);
}

Answer store_error(int status, std::string_view type, std::string_view message) {
    const auto body = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + std::string(type) +
                      "\",\"message\":\"" + std::string(message) + "\"}";
    return {http_reply(status, body)};
}

Answer ok(std::string_view body) {
    return {http_reply(200, body)};
}

struct TestServer::State {
    Script script;
    int listener = -1;
    std::uint16_t port = 0;
    mutable std::mutex mutex;
    bool stopping = false;
    std::vector<SeenRequest> seen;
    std::vector<int> sockets;
    std::vector<std::thread> threads;
    std::thread acceptor;

    void accept_all() {
        for (int number = 0;; ++number) {
            const int socket = ::accept(listener, nullptr, nullptr);
            if (socket < 0) {
                return;
            }
            const std::lock_guard lock(mutex);
            if (stopping) {
                ::close(socket);
                return;
            }
            sockets.push_back(socket);
            threads.emplace_back([this, socket, number] { serve(socket, number); });
        }
    }

    // The next whole request in `buffer`, reading more as needed; false at the end.
    static bool read_request(int socket, std::string& buffer, SeenRequest& request) {
        std::size_t wanted = std::string::npos;
        while (true) {
            const auto end = buffer.find("\r\n\r\n");
            if (end != std::string::npos) {
                request.head = buffer.substr(0, end + 4);
                const auto at = request.head.find("Content-Length: ");
                const auto length =
                    at == std::string::npos ? 0 : std::stoul(request.head.substr(at + 16));
                wanted = end + 4 + length;
            }
            if (buffer.size() >= wanted && wanted != std::string::npos) {
                request.body = buffer.substr(request.head.size(), wanted - request.head.size());
                buffer.erase(0, wanted);
                return true;
            }
            char bytes[16384];
            const auto got = ::recv(socket, bytes, sizeof bytes, 0);
            if (got <= 0) {
                return false;
            }
            buffer.append(bytes, static_cast<std::size_t>(got));
        }
    }

    bool sleep(std::chrono::milliseconds time) const {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
            {
                const std::lock_guard lock(mutex);
                if (stopping) {
                    return false;
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }

    void serve(int socket, int connection) {
        std::string buffer;
        SeenRequest request;
        while (read_request(socket, buffer, request)) {
            request.connection = connection;
            int number = 0;
            {
                const std::lock_guard lock(mutex);
                number = static_cast<int>(seen.size());
                seen.push_back(request);
            }
            const auto answer = script(request, number);
            if (!sleep(answer.delay)) {
                break;
            }
            if (!answer.bytes.empty()) {
                ::send(socket, answer.bytes.data(), answer.bytes.size(), MSG_NOSIGNAL);
            }
            if (answer.then == Answer::Then::kReset) {
                const linger hard{1, 0};
                ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
            }
            if (answer.then != Answer::Then::kKeep) {
                break;
            }
        }
        const std::lock_guard lock(mutex);
        std::erase(sockets, socket);
        ::close(socket);
    }
};

TestServer::TestServer(Script script) : state_(std::make_shared<State>()) {
    state_->script = std::move(script);
    state_->listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(state_->listener, generic, length) != 0 || ::listen(state_->listener, 64) != 0 ||
        ::getsockname(state_->listener, generic, &length) != 0) {
        throw std::runtime_error("no port for a test server");
    }
    state_->port = ntohs(address.sin_port);
    state_->acceptor = std::thread([state = state_.get()] { state->accept_all(); });
}

TestServer::~TestServer() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
        for (const int socket : state_->sockets) {
            ::shutdown(socket, SHUT_RDWR);
        }
    }
    ::shutdown(state_->listener, SHUT_RDWR);
    state_->acceptor.join();
    ::close(state_->listener);
    for (auto& thread : state_->threads) {
        thread.join();
    }
}

std::uint16_t TestServer::port() const {
    return state_->port;
}

std::vector<SeenRequest> TestServer::seen() const {
    const std::lock_guard lock(state_->mutex);
    return state_->seen;
}

}  // namespace gateleg::remote

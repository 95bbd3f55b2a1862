#include "app/remote_s3.h"

#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/config.h"
#include "objects/thumbnail.h"

namespace gateleg::app {
namespace {

// The least that can be called with signed URLs: a map behind a socket, one request a connection.
class TinyS3 {
public:
    TinyS3() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener_, generic, size), 0);
        EXPECT_EQ(::listen(listener_, 8), 0);
        EXPECT_EQ(::getsockname(listener_, generic, &size), 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~TinyS3() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
    void serve() {
        for (;;) {
            const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (peer < 0) {
                return;
            }
            const auto reply = answer(read_request(peer));
            EXPECT_EQ(
                ::send(peer, reply.data(), reply.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(reply.size())
            );
            ::close(peer);
        }
    }

    static std::string read_request(int peer) {
        std::string request;
        std::size_t whole = std::string::npos;
        while (request.size() < whole) {
            char buffer[4096];
            const auto got = ::recv(peer, buffer, sizeof buffer, 0);
            if (got <= 0) {
                break;
            }
            request.append(buffer, static_cast<std::size_t>(got));
            const auto end = request.find("\r\n\r\n");
            if (end != std::string::npos && whole == std::string::npos) {
                const auto length = request.find("Content-Length: ");
                const auto body =
                    length < end ? std::strtoul(request.c_str() + length + 16, nullptr, 10) : 0;
                whole = end + 4 + body;
            }
        }
        return request;
    }

    std::string answer(const std::string& request) {
        const auto space = request.find(' ');
        const auto method = request.substr(0, space);
        const auto path = request.substr(space + 1, request.find('?') - space - 1);
        if (method == "PUT") {
            stored_[path] = request.substr(request.find("\r\n\r\n") + 4);
        } else if (method == "DELETE") {
            stored_.erase(path);
            return "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
        } else if (!stored_.contains(path)) {
            return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        }
        const auto& body = stored_[path];
        const auto size = method == "PUT" ? 0 : body.size();
        return "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Type: text/plain\r\nContent-Length: " +
               std::to_string(size) + "\r\nConnection: close\r\n\r\n" +
               (method == "GET" ? body : "");
    }

    const int listener_;
    int port_ = 0;
    std::map<std::string, std::string> stored_;
    std::thread thread_;
};

TEST(RemoteS3Test, ObjectsOverHttp) {
    const TinyS3 server;
    const RemoteS3 remote(server.url(), "us-east-1");
    const objects::ThumbnailMaker thumbnails;
    const SystemClock clock;
    const auto objects = objects::make_remote_objects(remote.options("b", {}), thumbnails, clock);

    const auto none = objects->head("k");
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_FALSE(*none);
    ASSERT_TRUE(objects->put("k", "hello", "text/plain"));
    const auto head = objects->head("k");
    ASSERT_TRUE(head) << head.error().message;
    ASSERT_TRUE(*head);
    EXPECT_EQ((*head)->size, 5);
    EXPECT_EQ((*head)->etag, "e");
    EXPECT_EQ(*objects->get("k", 100), "hello");
    ASSERT_TRUE(objects->remove("k"));
    EXPECT_FALSE(*objects->head("k"));
}

TEST(RemoteS3Test, EndpointsThatCannotBe) {
    EXPECT_THROW(RemoteS3("ftp://example", "us-east-1"), ConfigError);
}

}  // namespace
}  // namespace gateleg::app

// The limit that the server is compared with: Boost.Beast as its examples use it, answering every
// request with the same kilobyte. It reads no key, keeps no data and checks nothing.
//
//     bare_server PORT [THREADS]

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::size_t kAnswerBytes = 1000;

const std::string& answer() {
    static const std::string kText =
        R"({"Item":{"note":{"S":")" + std::string(kAnswerBytes, 'x') + R"("}}})";
    return kText;
}

// One connection; keeps itself alive through the handler that is pending.
class Session : public std::enable_shared_from_this<Session> {
public:
    explicit Session(tcp::socket socket) : stream_(std::move(socket)) {
        stream_.socket().set_option(tcp::no_delay(true));
    }

    void read() {
        request_ = {};
        http::async_read(
            stream_,
            buffer_,
            request_,
            [self = shared_from_this()](beast::error_code failed, std::size_t) {
                if (!failed) {
                    self->write();
                }
            }
        );
    }

private:
    void write() {
        response_ = {};
        response_.version(11);
        response_.result(http::status::ok);
        response_.set(http::field::content_type, "application/x-amz-json-1.0");
        response_.set("x-amzn-RequestId", std::string(52, 'A'));
        response_.set("x-amz-crc32", "2745614147");
        response_.keep_alive(request_.keep_alive());
        response_.body() = answer();
        response_.prepare_payload();
        http::async_write(
            stream_,
            response_,
            [self = shared_from_this()](beast::error_code failed, std::size_t) {
                if (!failed) {
                    self->read();
                }
            }
        );
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    http::request<http::string_body> request_;
    http::response<http::string_body> response_;
};

void accept_all(asio::io_context& io, tcp::acceptor& acceptor) {
    acceptor.async_accept(io, [&](beast::error_code failed, tcp::socket socket) {
        if (!failed) {
            std::make_shared<Session>(std::move(socket))->read();
        }
        accept_all(io, acceptor);
    });
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::cerr << "usage: bare_server PORT [THREADS]\n";
        return 2;
    }
    const auto port = static_cast<std::uint16_t>(std::strtoul(arguments[1], nullptr, 10));
    const auto threads = count > 2 ? static_cast<int>(std::strtol(arguments[2], nullptr, 10)) : 1;
    asio::io_context io(threads);
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), port});
    accept_all(io, acceptor);
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) {
        others.emplace_back([&] { io.run(); });
    }
    io.run();
}

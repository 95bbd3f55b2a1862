// What the server tests share: a handler that tells what it was asked, and requests to ask it.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "http/limits.h"

namespace gateleg::http {

// Answers with what it understood of the request.
class EchoHandler : public Handler {
public:
    void handle(Exchange exchange) override {
        requests.fetch_add(1);
        if (deferred) {
            const std::lock_guard lock(mutex);
            waiting.push_back(std::move(exchange));
            changed.notify_all();
            return;
        }
        answer(std::move(exchange));
    }

    static void answer(Exchange exchange) {
        const Request& request = exchange.request();
        Response response;
        response.content_type = "text/plain";
        response.headers = exchange.take_header_buffer();
        response.headers.append("X-Echo: yes\r\n");
        response.body = exchange.take_buffer();
        if (request.head.path() == "/throw") {
            throw std::runtime_error("on purpose");
        }
        if (request.head.path() == "/drop") {
            return;
        }
        if (request.head.path() == "/large") {
            response.body.assign(std::stoul(std::string(request.head.query())), 'L');
        } else {
            response.body.append(request.head.method()).append(" ").append(request.head.target());
            response.body.append(" ").append(std::to_string(request.body.size())).append(" ");
            response.body.append(request.body.substr(0, 20));
            // Reads the padding, so that a sanitizer sees whether it is there.
            unsigned sum = 0;
            for (std::size_t i = 0; i < kBodyPadding; ++i) {
                sum += static_cast<unsigned char>(request.body.data()[request.body.size() + i]);
            }
            response.body.append(sum == 1'000'000 ? "!" : "");
        }
        response.close = request.head.path() == "/close";
        exchange.reply(std::move(response));
    }

    std::size_t max_body_bytes(const RequestHead& /*head*/) const override { return body_limit; }

    std::optional<Response> refuse_early(const RequestHead& head) const override {
        if (head.path() != "/forbidden") {
            return std::nullopt;
        }
        Response response;
        response.status = 403;
        return response;
    }

    Exchange take_waiting() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return !waiting.empty(); });
        auto exchange = std::move(waiting.front());
        waiting.erase(waiting.begin());
        return exchange;
    }

    std::atomic<int> requests{0};
    bool deferred = false;
    std::size_t body_limit = 1 << 20;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Exchange> waiting;
};

inline Limits quick_limits() {
    Limits limits;
    limits.tick = std::chrono::milliseconds(20);
    limits.linger = std::chrono::milliseconds(500);
    return limits;
}

inline std::string get(const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

inline std::string post(const std::string& target, const std::string& body) {
    return "POST " + target +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

}  // namespace gateleg::http

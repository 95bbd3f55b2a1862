// Replies that wait for each other: in order, all of them, and none behind a request that takes
// long.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace gateleg::http {
namespace {

using namespace std::chrono_literals;

// What it is asked for takes long enough for replies to be gathered; /gate and /second wait until
// they may go on.
class BusyHandler final : public EchoHandler {
public:
    void handle(Exchange exchange) override {
        const auto path = exchange.request().head.path();
        if (path == "/gate" || path == "/second") {
            std::unique_lock lock(gate_mutex);
            ++at_gate;
            moved.notify_all();
            moved.wait(lock, [&] { return path == "/gate" ? gate_open : second_open; });
        } else {
            const auto end = std::chrono::steady_clock::now() + 40us;
            while (std::chrono::steady_clock::now() < end) {
            }
        }
        EchoHandler::handle(std::move(exchange));
    }
    void await_at_gate(int count) {
        std::unique_lock lock(gate_mutex);
        moved.wait(lock, [&] { return at_gate == count; });
    }
    void set(bool& gate, bool open) {
        const std::lock_guard lock(gate_mutex);
        gate = open;
        moved.notify_all();
    }

    std::mutex gate_mutex;
    std::condition_variable moved;
    bool gate_open = true;
    bool second_open = false;
    int at_gate = 0;
};

class GatherTest : public ::testing::Test {
protected:
    void SetUp() override {
        server = std::make_unique<Server>(1, quick_limits());
        const auto address = server->listen("127.0.0.1", 0, handler);
        ASSERT_TRUE(address) << address.error().message;
        port = address->port;
        server->start();
    }

    BusyHandler handler;
    std::unique_ptr<Server> server;
    std::uint16_t port = 0;
};

std::string body_of(const std::string& reply) {
    const auto end = reply.find("\r\n\r\n");
    return end == std::string::npos ? "none" : reply.substr(end + 4);
}

TEST_F(GatherTest, EveryoneGetsTheirOwnRepliesInOrder) {
    constexpr int kRequests = 200;
    std::vector<std::thread> clients;
    for (int number = 0; number < 11; ++number) {
        clients.emplace_back([this, number] {
            TestClient client(port);
            // Some send the next request before they have the reply; some replies are large.
            const bool ahead = number % 2 == 0;
            const auto path = [&](int i) {
                return i % 7 == 3 ? "/large?" + std::to_string(9'000 + 100 * i)
                                  : "/" + std::to_string(number) + "/" + std::to_string(i);
            };
            if (ahead) {
                client.send(get(path(0)));
            }
            for (int i = 0; i < kRequests; ++i) {
                if (!ahead) {
                    client.send(get(path(i)));
                } else if (i + 1 < kRequests) {
                    client.send(get(path(i + 1)));
                }
                const auto body = body_of(client.read_reply());
                if (i % 7 == 3) {
                    ASSERT_EQ(body.size(), static_cast<std::size_t>(9'000 + 100 * i));
                } else {
                    ASSERT_EQ(body, "GET " + path(i) + " 0 ");
                }
            }
        });
    }
    for (auto& client : clients) {
        client.join();
    }
}

TEST_F(GatherTest, AConnectionThatEndsHasItsRepliesFirst) {
    // Gathered, and then something else is sent on the same connection: a refusal, a closing reply,
    // and the end that the client asked for.
    for (const std::string last :
         {"NONSENSE\r\n\r\n", "GET /close HTTP/1.1\r\nHost: a\r\n\r\n", ""}) {
        TestClient each(port);
        each.send(get("/warm"));
        EXPECT_EQ(body_of(each.read_reply()), "GET /warm 0 ");
        each.send(get("/a") + get("/b") + last);
        if (last.empty()) {
            each.end_sending();
        }
        const auto all = each.read_to_end();
        const auto a = all.find("GET /a 0 ");
        const auto b = all.find("GET /b 0 ");
        EXPECT_NE(a, std::string::npos) << all;
        EXPECT_NE(b, std::string::npos) << all;
        EXPECT_LT(a, b);
        EXPECT_EQ(all.find("reset"), std::string::npos);
    }
}

// The reply of one that is done must not lie in the server while another is at work for long.
TEST_F(GatherTest, RepliesDoNotWaitForWhatTakesLong) {
    TestClient quick(port);
    TestClient slow(port);
    TestClient holding(port);
    quick.send(get("/warm"));
    EXPECT_EQ(body_of(quick.read_reply()), "GET /warm 0 ");
    handler.set(handler.gate_open, false);
    slow.send(get("/gate"));
    handler.await_at_gate(1);
    std::this_thread::sleep_for(5ms);
    handler.set(handler.gate_open, true);
    EXPECT_EQ(body_of(slow.read_reply()), "GET /gate 0 ");

    // Both come while the one thread is held up, so that it finds them together.
    handler.set(handler.gate_open, false);
    holding.send(get("/gate"));
    handler.await_at_gate(2);
    quick.send(get("/quick"));
    std::this_thread::sleep_for(20ms);
    slow.send(get("/second"));
    std::this_thread::sleep_for(20ms);
    handler.set(handler.gate_open, true);
    handler.await_at_gate(3);
    EXPECT_EQ(body_of(quick.read_reply()), "GET /quick 0 ");
    handler.set(handler.second_open, true);
    EXPECT_EQ(body_of(slow.read_reply()), "GET /second 0 ");
    EXPECT_EQ(body_of(holding.read_reply()), "GET /gate 0 ");
}

}  // namespace
}  // namespace gateleg::http

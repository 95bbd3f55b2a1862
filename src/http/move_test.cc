// Connections move to the threads that are meant to have requests, and lose nothing on the way.

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace gateleg::http {
namespace {

using namespace std::chrono_literals;

// Remembers which thread had each request. Those for /later are answered by another thread, and
// those for /page take so long that their replies are gathered.
class MovingHandler final : public EchoHandler {
public:
    MovingHandler() : replier_([this] { reply_later(); }) {}
    ~MovingHandler() override {
        {
            const std::lock_guard lock(mutex);
            ended_ = true;
        }
        changed.notify_all();
        replier_.join();
    }

    void handle(Exchange exchange) override {
        const auto path = exchange.request().head.path();
        {
            const std::lock_guard lock(mutex);
            threads_[std::this_thread::get_id()] += 1;
        }
        if (path == "/later") {
            const std::lock_guard lock(mutex);
            waiting.push_back(std::move(exchange));
            changed.notify_all();
            return;
        }
        if (path == "/page") {
            const auto end = std::chrono::steady_clock::now() + 30us;
            while (std::chrono::steady_clock::now() < end) {
            }
        }
        EchoHandler::handle(std::move(exchange));
    }

    // Requests of each thread since the last call.
    std::multiset<int> take_counts() {
        const std::lock_guard lock(mutex);
        std::multiset<int> counts;
        for (const auto& [thread, count] : std::exchange(threads_, {})) {
            counts.insert(count);
        }
        return counts;
    }

private:
    void reply_later() {
        for (;;) {
            std::vector<Exchange> some;
            {
                std::unique_lock lock(mutex);
                changed.wait(lock, [this] { return ended_ || !waiting.empty(); });
                if (waiting.empty()) {
                    return;
                }
                some.swap(waiting);
            }
            for (auto& exchange : some) {
                answer(std::move(exchange));
            }
        }
    }

    bool ended_ = false;
    std::map<std::thread::id, int> threads_;
    std::thread replier_;
};

std::string body_of(const std::string& reply) {
    const auto end = reply.find("\r\n\r\n");
    return end == std::string::npos ? "none" : reply.substr(end + 4);
}

class MoveTest : public ::testing::Test {
protected:
    void SetUp() override { start(quick_limits()); }
    void start(const Limits& limits) {
        server = std::make_unique<Server>(2, limits);
        const auto address = server->listen("127.0.0.1", 0, handler);
        ASSERT_TRUE(address) << address.error().message;
        port = address->port;
        server->start();
    }
    void connect(int count) {
        for (int i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<TestClient>(port));
            ask(*clients.back(), "/hello");
        }
        handler.take_counts();
    }
    static void ask(TestClient& client, const std::string& path) {
        client.send(get(path));
        ASSERT_EQ(body_of(client.read_reply()), "GET " + path + " 0 ");
    }
    // One request of each client: how many of them each thread had.
    std::multiset<int> ask_all(const std::string& path) {
        handler.take_counts();
        for (const auto& client : clients) {
            ask(*client, path);
        }
        return handler.take_counts();
    }

    MovingHandler handler;
    std::unique_ptr<Server> server;
    std::vector<std::unique_ptr<TestClient>> clients;
    std::uint16_t port = 0;
};

TEST_F(MoveTest, RequestsAreHandledByAsManyThreadsAsAreOpen) {
    connect(8);
    EXPECT_EQ(ask_all("/a"), (std::multiset<int>{4, 4}));
    server->fold(1);
    EXPECT_EQ(ask_all("/b"), (std::multiset<int>{8}));
    EXPECT_EQ(ask_all("/later"), (std::multiset<int>{8}));
    server->fold(2);
    EXPECT_EQ(ask_all("/later"), (std::multiset<int>{4, 4}));
    EXPECT_EQ(server->connection_count(), 8u);
}

TEST_F(MoveTest, NewConnectionsAreSharedOutByWhereTheyBelong) {
    connect(4);
    server->fold(1);
    EXPECT_EQ(ask_all("/a"), (std::multiset<int>{4}));
    connect(4);
    EXPECT_EQ(ask_all("/b"), (std::multiset<int>{8}));
    server->fold(2);
    EXPECT_EQ(ask_all("/c"), (std::multiset<int>{4, 4}));
    clients.resize(1);
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (server->connection_count() > 1 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(1ms);
    }
    connect(7);
    EXPECT_EQ(ask_all("/d"), (std::multiset<int>{4, 4}));
}

// Half of a request has come when the connection moves, and the rest comes to where it is then.
TEST_F(MoveTest, RequestsInPiecesMoveAsWell) {
    connect(4);
    for (const auto threads : {std::size_t{1}, std::size_t{2}, std::size_t{1}, std::size_t{2}}) {
        const auto text = post("/piece", "some body");
        for (const std::size_t cut : {std::size_t{1}, std::size_t{20}, text.size() - 3}) {
            server->fold(threads);
            for (const auto& client : clients) {
                client->send(text.substr(0, cut));
            }
            std::this_thread::sleep_for(5ms);
            server->fold(3 - threads);
            for (const auto& client : clients) {
                client->send(text.substr(cut));
                EXPECT_EQ(body_of(client->read_reply()), "POST /piece 9 some body");
            }
        }
    }
}

// Of the client with that number, in turns of five: answered later, gathered, large, and plain.
std::string path_of(int client, int request) {
    switch ((request + client) % 5) {
        case 0:
            return "/later?" + std::to_string(request);
        case 1:
            return "/page?" + std::to_string(request);
        case 2:
            return "/large?" + std::to_string(20'000 + request);
        default:
            return "/" + std::to_string(client) + "/" + std::to_string(request);
    }
}

// On a connection of its own. With `ahead` the next request is sent before the reply is there.
void ask_many(std::uint16_t port, int number, int requests, bool ahead) {
    TestClient client(port);
    for (int i = 0; i < requests; ++i) {
        if (!ahead || i == 0) {
            client.send(get(path_of(number, i)));
        }
        if (ahead && i + 1 < requests) {
            client.send(get(path_of(number, i + 1)));
        }
        const auto body = body_of(client.read_reply());
        if (path_of(number, i).starts_with("/large")) {
            ASSERT_EQ(body.size(), static_cast<std::size_t>(20'000 + i));
        } else {
            ASSERT_EQ(body, "GET " + path_of(number, i) + " 0 ");
        }
    }
}

TEST_F(MoveTest, NothingIsLostWhileConnectionsMoveToAndFro) {
    std::atomic<bool> done{false};
    std::thread folder([&] {
        for (std::size_t i = 0; !done; ++i) {
            server->fold(1 + i % 2);
            std::this_thread::sleep_for(200us);
        }
    });
    std::vector<std::thread> askers(8);
    for (int number = 0; number < 8; ++number) {
        askers[static_cast<std::size_t>(number)] = std::thread([this, number] {
            for (int round = 0; round < 4; ++round) {
                ask_many(port, number, 500, number % 2 == 0);
            }
        });
    }
    for (auto& asker : askers) {
        asker.join();
    }
    done = true;
    folder.join();
}

// Asks again and again, until the server ends or the test does.
void ask_until(std::uint16_t port, const std::atomic<bool>& done) {
    while (!done) {
        TestClient client(port);
        for (int i = 0; i < 50 && client.send(get("/later")); ++i) {
            const auto body = body_of(client.read_reply());
            if (body == "none") {
                break;
            }
            ASSERT_EQ(body, "GET /later 0 ");
        }
    }
}

// What moves when the server ends is closed like the rest.
TEST_F(MoveTest, AServerEndsWhileConnectionsMove) {
    for (int round = 0; round < 20; ++round) {
        if (round > 0) {
            start(quick_limits());
        }
        std::atomic<bool> done{false};
        std::vector<std::thread> askers(4);
        for (auto& asker : askers) {
            asker = std::thread([&] { ask_until(port, done); });
        }
        for (std::size_t i = 0; i < 50; ++i) {
            server->fold(1 + i % 2);
            std::this_thread::sleep_for(100us);
        }
        done = round % 2 == 0;
        if (round % 4 < 2) {
            server->drain(2s);
        }
        server->stop();
        EXPECT_EQ(server->connection_count(), 0u);
        done = true;
        for (auto& asker : askers) {
            asker.join();
        }
    }
}

TEST_F(MoveTest, AThreadWithoutRoomGetsNoOthers) {
    auto limits = quick_limits();
    limits.max_connections = 8;  // four for each thread
    start(limits);
    connect(8);
    server->fold(1);
    // It has four, which is more than half of what it takes.
    EXPECT_EQ(ask_all("/a"), (std::multiset<int>{4, 4}));
    EXPECT_EQ(server->connection_count(), 8u);
}

}  // namespace
}  // namespace gateleg::http

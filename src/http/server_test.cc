#include "http/server.h"

#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/burst.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace gateleg::http {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

class ServerTest : public ::testing::Test {
protected:
    void start(const Limits& limits = quick_limits(), std::size_t threads = 2) {
        server = std::make_unique<Server>(threads, limits);
        auto address = server->listen("127.0.0.1", 0, handler);
        ASSERT_TRUE(address) << address.error().message;
        port = address->port;
        server->start();
    }

    // Declared first, so that it outlives the server.
    EchoHandler handler;
    std::unique_ptr<Server> server;
    std::uint16_t port = 0;
};

std::string body_of(const std::string& reply) {
    const auto end = reply.find("\r\n\r\n");
    return end == std::string::npos ? "none" : reply.substr(end + 4);
}

bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 1000; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

TEST_F(ServerTest, ConnectionServesManyRequests) {
    start();
    TestClient client(port);
    for (int i = 0; i < 50; ++i) {
        const auto number = std::to_string(i);
        client.send(post("/" + number, "body" + number));
        ASSERT_EQ(
            client.read_reply(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
                std::to_string(13 + 2 * number.size()) + "\r\nX-Echo: yes\r\n\r\nPOST /" + number +
                " " + std::to_string(4 + number.size()) + " body" + number
        );
    }
    EXPECT_EQ(server->connection_count(), 1u);
}

// A client that asks at once is waited for awake, and not for longer than it does so.
TEST_F(ServerTest, LoopThatWaitsAwakeSleepsAgain) {
    start();
    TestClient eager(port);
    TestClient other(port);
    const auto ask = [](TestClient& client, int times) {
        for (int i = 0; i < times; ++i) {
            client.send(get("/" + std::to_string(i)));
            ASSERT_EQ(body_of(client.read_reply()), "GET /" + std::to_string(i) + " 0 ");
        }
    };
    ask(eager, 200);
    ask(other, 200);
    for (int i = 0; i < 100; ++i) {
        ask(eager, 1);
        ask(other, 1);
    }
    ask(eager, 200);
    const auto before = std::clock();
    std::this_thread::sleep_for(300ms);
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
    ask(eager, 200);
    server->stop();  // while it may be awake
}

TEST_F(ServerTest, OldClientsGetWhatTheyKnow) {
    start();
    TestClient closing(port);
    closing.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_NE(closing.read_to_end().find("Connection: close\r\n"), std::string::npos);
    TestClient keeping(port);
    for (int i = 0; i < 2; ++i) {
        keeping.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        EXPECT_NE(keeping.read_reply().find("Connection: keep-alive\r\n"), std::string::npos);
    }
}

TEST_F(ServerTest, HeadHasNoBody) {
    start();
    TestClient client(port);
    client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + get("/y"));
    const auto reply = client.read_reply(true);
    EXPECT_NE(reply.find("Content-Length: 10\r\n"), std::string::npos) << reply;
    EXPECT_EQ(body_of(client.read_reply()), "GET /y 0 ");
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
    for (const bool deferred : {false, true}) {
        handler.deferred = deferred;
        start();
        std::thread answering([&] {
            for (int i = 0; deferred && i < 300; ++i) {
                const Burst burst(i % 2 == 0);
                EchoHandler::answer(handler.take_waiting());
            }
        });
        TestClient client(port);
        std::string requests;
        for (int i = 0; i < 300; ++i) {
            requests +=
                post("/" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'x'));
        }
        std::thread sending([&] { client.send(requests); });
        for (int i = 0; i < 300; ++i) {
            const auto wanted = "POST /" + std::to_string(i) + " " + std::to_string(i) + " ";
            ASSERT_TRUE(body_of(client.read_reply()).starts_with(wanted));
        }
        sending.join();
        answering.join();
        server.reset();
    }
}

TEST_F(ServerTest, RequestsMayArriveByteByByte) {
    start();
    TestClient client(port);
    for (const auto& request :
         {post("/a", "hello"),
          "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n"
          "0\r\n\r\n"s}) {
        for (const char c : request) {
            client.send({&c, 1});
            std::this_thread::sleep_for(1ms);
        }
    }
    EXPECT_EQ(body_of(client.read_reply()), "POST /a 5 hello");
    EXPECT_EQ(body_of(client.read_reply()), "POST /b 4 abcd");
}

TEST_F(ServerTest, BodiesOfAllSizesArriveWhole) {
    start();
    TestClient client(port);
    for (const std::size_t bytes : {0, 1, 4000, 8000, 8192, 9000, 65536, 300'000, 1'048'576}) {
        const std::string body(bytes, 'b');
        const auto wanted = "POST /s " + std::to_string(bytes) + " ";
        client.send(post("/s", body));
        EXPECT_TRUE(body_of(client.read_reply()).starts_with(wanted)) << bytes;

        char size[32];
        std::snprintf(size, sizeof size, "%zx", bytes);
        client.send("POST /s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send(bytes == 0 ? "0\r\n\r\n"s : size + "\r\n"s + body + "\r\n0\r\n\r\n");
        EXPECT_TRUE(body_of(client.read_reply()).starts_with(wanted)) << bytes;
    }
}

TEST_F(ServerTest, LongHeadLeavesRoomForChunks) {
    start();
    TestClient client(port);
    for (const std::size_t bytes : {7900, 8050, 8100, 15'000}) {
        const std::string head =
            "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nx: " +
            std::string(bytes, 'x') + "\r\n\r\n";
        client.send(head);
        std::this_thread::sleep_for(10ms);
        client.send("5\r\nhello\r\n0\r\n\r\n");
        EXPECT_EQ(body_of(client.read_reply()), "POST /c 5 hello");
    }
}

TEST_F(ServerTest, LargeRepliesReachSlowReaders) {
    start();
    TestClient client(port, 4096);
    client.send(get("/large?3000000") + get("/large?9000") + get("/after"));
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(body_of(client.read_reply()), std::string(3'000'000, 'L'));
    EXPECT_EQ(body_of(client.read_reply()), std::string(9000, 'L'));
    EXPECT_EQ(body_of(client.read_reply()), "GET /after 0 ");
}

TEST_F(ServerTest, ReplyMayComeFromAnotherThread) {
    handler.deferred = true;
    start();
    constexpr int kClients = 8;
    constexpr int kRounds = 300;
    std::atomic<bool> done{false};
    std::thread answering([&] {
        for (int i = 0; i < kClients * kRounds; ++i) {
            const Burst burst(i % 3 == 0);
            EchoHandler::answer(handler.take_waiting());
        }
        done = true;
    });
    std::vector<std::thread> clients;
    for (int c = 0; c < kClients; ++c) {
        clients.emplace_back([&, c] {
            TestClient client(port);
            for (int i = 0; i < kRounds; ++i) {
                const auto body = std::to_string(c) + "-" + std::to_string(i);
                client.send(post("/t", body));
                ASSERT_TRUE(body_of(client.read_reply()).ends_with(" " + body));
            }
        });
    }
    for (auto& client : clients) {
        client.join();
    }
    answering.join();
    EXPECT_TRUE(done);
}

TEST_F(ServerTest, ClientsMayLeaveWhileTheirReplyIsMade) {
    handler.deferred = true;
    start();
    for (int i = 0; i < 50; ++i) {
        {
            TestClient client(port);
            client.send(get("/large?200000"));
            if (i % 2 == 0) {
                ASSERT_TRUE(eventually([&] {
                    const std::lock_guard lock(handler.mutex);
                    return !handler.waiting.empty();
                }));
            }
        }
        const Burst burst(i % 3 == 0);
        EchoHandler::answer(handler.take_waiting());
    }
    EXPECT_TRUE(eventually([&] { return server->connection_count() == 0; }));
}

TEST_F(ServerTest, HalfClosedClientStillGetsItsReply) {
    handler.deferred = true;
    start();
    for (const bool in_burst : {false, true}) {
        TestClient client(port);
        client.send(get("/half"));
        client.end_sending();
        auto exchange = handler.take_waiting();
        std::this_thread::sleep_for(20ms);
        const Burst burst(in_burst);
        EchoHandler::answer(std::move(exchange));
        EXPECT_EQ(body_of(client.read_to_end()), "GET /half 0 ");
    }
}

TEST_F(ServerTest, DroppedAndThrowingRequestsAnswer500) {
    start();
    for (const auto* target : {"/drop", "/throw"}) {
        TestClient client(port);
        client.send(get(target));
        EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 500 ")) << target;
    }
}

TEST_F(ServerTest, ContinueIsSentOnlyWhenTheBodyIsWelcome) {
    start();
    const std::string start_line = "POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
    TestClient welcome(port);
    welcome.send(start_line + "Content-Length: 3\r\n\r\n");
    EXPECT_EQ(welcome.read_reply(), "HTTP/1.1 100 Continue\r\n\r\n");
    welcome.send("abc");
    EXPECT_EQ(body_of(welcome.read_reply()), "POST /e 3 abc");
    TestClient large(port);
    large.send(start_line + "Content-Length: 3000000\r\n\r\n");
    EXPECT_TRUE(large.read_reply().starts_with("HTTP/1.1 413 "));
}

TEST_F(ServerTest, EarlyRefusalSparesTheBody) {
    start();
    TestClient client(port);
    client.send("POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 403 Forbidden\r\n"));
    EXPECT_EQ(handler.requests, 0);
}

TEST_F(ServerTest, MalformedRequestIsAnsweredAndNothingBehindItIsSeen) {
    start();
    for (const auto& bad :
         {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
          "0\r\n\r\n"s,
          "GET / HTTP/1.1\nHost: a\n\n"s,
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"s,
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"s}) {
        TestClient client(port);
        client.send(bad + get("/smuggled"));
        const auto reply = client.read_to_end();
        EXPECT_TRUE(reply.starts_with("HTTP/1.1 400 ")) << reply;
        EXPECT_EQ(reply.find("HTTP/1.1", 1), std::string::npos) << reply;
        EXPECT_NE(reply.find("Connection: close"), std::string::npos);
    }
    TestClient client(port);
    client.send("GET / HTTP/1.1\r\nx: " + std::string(20'000, 'x'));
    EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 431 "));
    EXPECT_EQ(handler.requests, 0);
}

TEST_F(ServerTest, TooLargeIsDeliveredToAClientThatKeepsSending) {
    start();
    const std::string body(8 << 20, 'x');
    TestClient announced(port);
    EXPECT_TRUE(announced.send(post("/", body)));
    EXPECT_TRUE(announced.read_reply().starts_with("HTTP/1.1 413 "));
    TestClient chunked(port);
    chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n");
    EXPECT_TRUE(chunked.send(body));
    EXPECT_TRUE(chunked.read_reply().starts_with("HTTP/1.1 413 "));
    EXPECT_EQ(handler.requests, 0);
}

TEST_F(ServerTest, FullBodyPoolIsRefused) {
    auto limits = quick_limits();
    limits.body_pool_bytes = 100'000;
    start(limits);
    TestClient client(port);
    client.send(post("/", std::string(200'000, 'x')));
    EXPECT_TRUE(client.read_reply().starts_with("HTTP/1.1 503 "));
    TestClient small(port);
    for (int i = 0; i < 5; ++i) {
        small.send(post("/", std::string(60'000, 'x')));
        EXPECT_TRUE(small.read_reply().starts_with("HTTP/1.1 200 "));
    }
}

TEST_F(ServerTest, SlowHeadIsTimedOut) {
    auto limits = quick_limits();
    limits.head_deadline = 100ms;
    start(limits);
    TestClient client(port);
    client.send("GET / HTTP/1.1\r\nHo");
    EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 408 "));
}

TEST_F(ServerTest, SlowBodyIsTimedOut) {
    auto limits = quick_limits();
    limits.body_grace = 100ms;
    start(limits);
    TestClient in_place(port);
    in_place.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
    TestClient separate(port);
    separate.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc");
    TestClient chunked(port);
    chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na");
    EXPECT_TRUE(in_place.read_to_end().starts_with("HTTP/1.1 408 "));
    EXPECT_TRUE(separate.read_to_end().starts_with("HTTP/1.1 408 "));
    EXPECT_TRUE(chunked.read_to_end().starts_with("HTTP/1.1 408 "));
}

TEST_F(ServerTest, IdleAndStalledConnectionsAreClosed) {
    auto limits = quick_limits();
    limits.idle_timeout = 150ms;
    limits.write_stall = 150ms;
    start(limits);
    TestClient idle(port);
    TestClient stalled(port, 4096);
    stalled.send(get("/large?20000000"));
    EXPECT_TRUE(idle.is_closed_soon());
    EXPECT_TRUE(eventually([&] { return server->connection_count() == 0; }));
}

TEST_F(ServerTest, PastTheCapTheLongestIdleMakesRoom) {
    auto limits = quick_limits();
    limits.max_connections = 3;
    start(limits, 1);
    TestClient first(port);
    first.send(get("/"));
    first.read_reply();
    std::this_thread::sleep_for(50ms);
    TestClient second(port);
    second.send(get("/"));
    second.read_reply();
    std::this_thread::sleep_for(50ms);
    TestClient third(port);
    third.send(get("/"));
    third.read_reply();
    // Using the first again makes the second the longest idle.
    std::this_thread::sleep_for(50ms);
    first.send(get("/"));
    first.read_reply();
    TestClient fourth(port);
    fourth.send(get("/4"));
    EXPECT_EQ(body_of(fourth.read_reply()), "GET /4 0 ");
    EXPECT_TRUE(second.is_closed_soon());
    first.send(get("/1"));
    EXPECT_EQ(body_of(first.read_reply()), "GET /1 0 ");
    EXPECT_EQ(server->connection_count(), 3u);
}

TEST_F(ServerTest, AThreadThatIsHeldUpGetsNoMoreThanItsShare) {
    auto limits = quick_limits();
    limits.max_connections = 40;
    handler.deferred = true;
    start(limits);
    TestClient busy(port);
    std::vector<std::unique_ptr<TestClient>> clients;
    {
        const std::lock_guard lock(handler.mutex);  // which the thread of this one waits for
        busy.send(get("/busy"));
        ASSERT_TRUE(eventually([&] { return handler.requests == 1; }));
        for (int i = 0; i < 30; ++i) {
            clients.push_back(std::make_unique<TestClient>(port));
        }
        std::this_thread::sleep_for(300ms);
    }
    EchoHandler::answer(handler.take_waiting());
    EXPECT_EQ(body_of(busy.read_reply()), "GET /busy 0 ");
    ASSERT_TRUE(eventually([&] { return server->connection_count() == 31; }));
    for (auto& client : clients) {
        client->send(get("/all"));
        EchoHandler::answer(handler.take_waiting());
        EXPECT_EQ(body_of(client->read_reply()), "GET /all 0 ");
    }
}

TEST_F(ServerTest, WhenAllAreAtWorkANewOneIsRefused) {
    auto limits = quick_limits();
    limits.max_connections = 1;
    handler.deferred = true;
    start(limits, 1);
    TestClient busy(port);
    busy.send(get("/busy"));
    auto exchange = handler.take_waiting();
    TestClient refused(port);
    EXPECT_TRUE(refused.read_to_end().starts_with("HTTP/1.1 503 "));
    EchoHandler::answer(std::move(exchange));
    EXPECT_EQ(body_of(busy.read_reply()), "GET /busy 0 ");
}

TEST_F(ServerTest, AnAddressHasItsShareOfConnectionsAndNoMore) {
    auto limits = quick_limits();
    limits.max_connections_per_address = 2;
    start(limits);
    std::optional<TestClient> first(port);
    first->send(get("/1"));
    EXPECT_EQ(body_of(first->read_reply()), "GET /1 0 ");
    TestClient second(port);
    second.send(get("/2"));
    EXPECT_EQ(body_of(second.read_reply()), "GET /2 0 ");
    TestClient third(port);
    EXPECT_TRUE(third.read_to_end().starts_with("HTTP/1.1 503 "));
    // Whoever leaves makes room.
    first.reset();
    EXPECT_TRUE(eventually([&] {
        TestClient again(port);
        again.send(get("/again"));
        return again.read_reply().starts_with("HTTP/1.1 200 ");
    }));
    second.send(get("/still"));
    EXPECT_EQ(body_of(second.read_reply()), "GET /still 0 ");
}

TEST_F(ServerTest, DrainEndsWhatIsInFlight) {
    handler.deferred = true;
    start();
    TestClient idle(port);
    TestClient busy(port);
    busy.send(get("/busy"));
    auto exchange = handler.take_waiting();
    ASSERT_TRUE(eventually([&] { return server->connection_count() == 2; }));
    EXPECT_FALSE(server->drain(50ms));
    EXPECT_TRUE(idle.is_closed_soon());
    EXPECT_EQ(server->connection_count(), 1u);
    TestClient late(port);
    EXPECT_EQ(late.read_to_end(), "unreachable");

    std::thread answering([&] {
        const Burst burst(true);
        EchoHandler::answer(std::move(exchange));
    });
    const auto reply = busy.read_to_end();
    EXPECT_NE(reply.find("Connection: close"), std::string::npos);
    EXPECT_EQ(body_of(reply), "GET /busy 0 ");
    answering.join();
    EXPECT_TRUE(server->drain(2s));
}

TEST_F(ServerTest, ExchangeMayOutliveTheServer) {
    handler.deferred = true;
    start();
    TestClient answered(port);
    answered.send(get("/late"));
    auto late = handler.take_waiting();
    TestClient dropped(port);
    dropped.send(get("/drop"));
    auto unanswered = handler.take_waiting();
    TestClient handed_over(port);
    handed_over.send(get("/later"));
    auto later = handler.take_waiting();
    server->stop();
    server.reset();
    EchoHandler::answer(std::move(late));
    const Burst burst(true);
    EchoHandler::answer(std::move(later));
    EXPECT_EQ(answered.read_to_end(), "");
}

TEST_F(ServerTest, StopUnderLoadLosesNothingButReplies) {
    handler.deferred = true;
    for (int round = 0; round < 5; ++round) {
        start();
        std::atomic<bool> ending{false};
        std::thread answering([&] {
            while (!ending) {
                std::vector<Exchange> taken;
                {
                    const std::lock_guard lock(handler.mutex);
                    taken.swap(handler.waiting);
                }
                for (auto& exchange : taken) {
                    const Burst burst(round % 2 == 0);
                    EchoHandler::answer(std::move(exchange));
                }
            }
        });
        std::vector<std::thread> clients;
        for (int c = 0; c < 4; ++c) {
            clients.emplace_back([this] {
                TestClient client(port);
                while (client.send(get("/x") + get("/large?20000")) &&
                       !client.read_reply().empty() && !client.read_reply().empty()) {
                }
            });
        }
        std::this_thread::sleep_for(50ms);
        server.reset();
        for (auto& client : clients) {
            client.join();
        }
        ending = true;
        answering.join();
        handler.waiting.clear();
    }
}

TEST(ServerListenTest, TakenPortIsAnError) {
    EchoHandler handler;
    Server server(1);
    const auto first = server.listen("127.0.0.1", 0, handler);
    ASSERT_TRUE(first);
    const auto second = server.listen("127.0.0.1", first->port, handler);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find(std::to_string(first->port)), std::string::npos);
    EXPECT_FALSE(server.listen("127.0.0.1", 0, handler, TlsFiles{"/nowhere.pem", "/nowhere.key"}));
}

}  // namespace
}  // namespace gateleg::http

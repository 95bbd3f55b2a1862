// Replies that go on until somebody ends them.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace gateleg::http {
namespace {

bool eventually(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 2000; ++tries) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

class LiveTest : public testing::Test {
protected:
    LiveTest() {
        handler_.deferred = true;
        port_ = server_.listen("127.0.0.1", 0, handler_)->port;
        server_.start();
    }
    ~LiveTest() override { server_.stop(); }

    std::unique_ptr<LiveReply> begin() {
        return handler_.take_waiting().reply_live(
            {.content_type = "text/event-stream", .headers = "X-Live: yes\r\n"},
            [this] { changes_.fetch_add(1); }
        );
    }

    std::atomic<int> changes_{0};
    EchoHandler handler_;
    Server server_{2, quick_limits()};
    std::uint16_t port_ = 0;
};

TEST_F(LiveTest, SendsWhatItIsGivenAndEndsWithItsMaker) {
    TestClient client(port_);
    client.send(get("/a"));
    auto reply = begin();
    EXPECT_TRUE(reply->is_ready());
    EXPECT_TRUE(reply->send("one "));
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // ticks do not end it
    EXPECT_TRUE(reply->send("two"));
    reply.reset();
    EXPECT_EQ(
        client.read_to_end(),
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Live: yes\r\n"
        "Connection: close\r\n\r\none two"
    );
    EXPECT_TRUE(eventually([this] { return server_.connection_count() == 0; }));
}

TEST_F(LiveTest, LearnsThatItsClientLeft) {
    auto client = std::make_unique<TestClient>(port_);
    client->send(get("/a"));
    const auto reply = begin();
    client.reset();
    EXPECT_TRUE(eventually([&] { return reply->is_gone(); }));
    EXPECT_TRUE(eventually([this] { return changes_.load() > 0; }));
    EXPECT_FALSE(reply->send("nobody hears it"));
    EXPECT_EQ(server_.connection_count(), 0U);
}

TEST_F(LiveTest, AClientThatSaysMoreIsCutOff) {
    TestClient client(port_);
    client.send(get("/a"));
    const auto reply = begin();
    client.send(get("/b"));
    EXPECT_TRUE(eventually([&] { return reply->is_gone(); }));
    EXPECT_EQ(handler_.requests.load(), 1);
}

TEST_F(LiveTest, WaitsForASlowClientAndTellsWhenItHasTakenAll) {
    TestClient client(port_, 4096);
    client.send(get("/a"));
    auto reply = begin();
    std::string all;
    while (reply->is_ready()) {
        const std::string piece(100'000, static_cast<char>('a' + all.size() / 100'000 % 26));
        ASSERT_TRUE(reply->send(piece));
        all += piece;
        ASSERT_LT(all.size(), 100U << 20);
    }
    const int before = changes_.load();
    std::thread maker([&] {
        EXPECT_TRUE(eventually([&] { return reply->is_ready() && changes_.load() > before; }));
        reply->send("end");
        reply.reset();
    });
    const auto got = client.read_to_end();
    maker.join();
    EXPECT_EQ(got.substr(got.find("\r\n\r\n") + 4), all + "end");
}

TEST_F(LiveTest, AServerThatDrainsDoesNotWaitForIt) {
    TestClient client(port_);
    client.send(get("/a"));
    const auto reply = begin();
    EXPECT_TRUE(server_.drain(std::chrono::seconds(30)));
    EXPECT_TRUE(reply->is_gone());
}

TEST_F(LiveTest, OutlivesTheServerWithoutHarm) {
    TestClient client(port_);
    client.send(get("/a"));
    auto reply = begin();
    server_.stop();
    EXPECT_FALSE(reply->send("late"));
    reply.reset();
}

}  // namespace
}  // namespace gateleg::http

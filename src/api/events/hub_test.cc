// Whoever follows a table, on a feed that the test fills.

#include "api/events/hub.h"

#include <array>
#include <atomic>
#include <functional>
#include <mutex>

#include <gtest/gtest.h>

#include "http/server.h"
#include "http/test_client.h"

namespace gateleg::api::events {
namespace {

using namespace std::chrono_literals;

std::string number(std::size_t n) {
    auto digits = std::to_string(n);
    return std::string(21 - digits.size(), '0') + digits;
}

class TestFeed final : public dynamo::ChangeFeed {
public:
    Result<dynamo::ChangesRange> changes_range(const std::string& table) const override {
        if (table != "table") {
            return resource_not_found("no such table");
        }
        return dynamo::ChangesRange{
            .enabled = enabled,
            .view = dynamo::StreamView::kNewImage,
            .horizon = number(0),
            .latest = number(last)};
    }
    Result<dynamo::ChangesReply> read_changes(const dynamo::ChangesRequest& request
    ) const override {
        const std::size_t newest = last;
        auto at = std::stoul(request.after);
        dynamo::ChangesReply reply{.enabled = enabled, .gap = at < trimmed};
        at = std::max<std::size_t>(at, trimmed);
        while (at < newest && reply.records.size() < request.limit) {
            dynamo::StreamRecord record;
            record.sequence = number(++at);
            reply.records.push_back(std::move(record));
        }
        reply.position = number(at);
        reply.more = at < newest;
        return reply;
    }
    void on_changes(std::function<void()> listener) override {
        const std::lock_guard lock(mutex);
        listening = std::move(listener);
    }

    void write(std::size_t count) {
        last += count;
        const std::lock_guard lock(mutex);
        if (listening) {
            listening();
        }
    }

    std::atomic<std::size_t> last{0};
    std::atomic<std::size_t> trimmed{0};
    std::atomic<bool> enabled{true};
    std::mutex mutex;
    std::function<void()> listening;
};

// "/from/owner": one client; the data of a record is its number and `padding`.
class HubTest : public testing::Test, public http::Handler {
protected:
    ~HubTest() override {
        server_.stop();
        hub_.reset();
    }
    void start(HubOptions options) {
        hub_ = std::make_unique<Hub>(feed_, options);
        port_ = server_.listen("127.0.0.1", 0, *this)->port;
        server_.start();
    }

    void handle(http::Exchange exchange) override {
        const std::string path(exchange.request().head.path().substr(1));
        const auto slash = path.find('/');
        Follow follow{.owner = path.substr(slash + 1)};
        const auto from = path.substr(0, slash);
        auto refused = hub_->find_start("table", {.from = from}, false, follow);
        if (!refused) {
            auto& told = told_[follow.owner == "a" ? 0 : 1];
            follow.render = [this, &told](const dynamo::StreamRecord& record) {
                told = std::stoul(record.sequence);
                return record.sequence.back() == '7' ? std::nullopt
                                                     : std::optional(record.sequence + padding_);
            };
            follow.may_go_on = [this] { return allowed_.load(); };
            refused = hub_->follow(exchange, "", std::move(follow));
        }
        if (refused) {
            exchange.reply({.status = refused->status, .body = refused->code});
        }
    }

    static std::string get(const std::string& path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }
    bool eventually(const std::function<bool()>& condition) {
        for (int tries = 0; tries < 4000; ++tries) {
            if (condition()) {
                return true;
            }
            std::this_thread::sleep_for(5ms);
        }
        return false;
    }
    // All that a client got, once the streams have ended.
    std::string end_and_read(http::TestClient& client) {
        allowed_ = false;
        return client.read_to_end();
    }
    std::string events(std::size_t first, std::size_t last) const {
        std::string text;
        for (auto n = first; n <= last; ++n) {
            if (n % 10 != 7) {
                text +=
                    "event: record\nid: " + number(n) + "\ndata: " + number(n) + padding_ + "\n\n";
            }
        }
        return text;
    }
    static std::string body_of(const std::string& reply) {
        return reply.substr(reply.find("\r\n\r\n") + 4);
    }

    TestFeed feed_;
    std::string padding_;
    std::array<std::atomic<std::size_t>, 2>
        told_{};  // the last number that "a", or another, has got
    std::atomic<bool> allowed_{true};
    http::Server server_{2};
    std::unique_ptr<Hub> hub_;
    std::uint16_t port_ = 0;
};

TEST_F(HubTest, TellsEachRecordOnceInOrderUntilItMayNotGoOn) {
    start({.look = 20ms});
    http::TestClient all(port_);
    feed_.write(300);
    all.send(get("/horizon/a"));
    http::TestClient later(port_);
    later.send(get("/latest/b"));
    ASSERT_TRUE(eventually([this] { return hub_->count() == 2; }));
    for (int i = 0; i < 50; ++i) {
        feed_.write(5);
    }
    ASSERT_TRUE(eventually([this] { return told_[0] == 550 && told_[1] == 550; }));
    const auto got = end_and_read(all);
    EXPECT_NE(got.find("Content-Type: text/event-stream\r\n"), std::string::npos);
    EXPECT_EQ(body_of(got), ": following\n\n" + events(1, 550));
    EXPECT_EQ(body_of(later.read_to_end()), ": following\n\n" + events(301, 550));
    EXPECT_TRUE(eventually([this] { return hub_->count() == 0; }));
}

TEST_F(HubTest, AClientThatTakesNothingWaitsInTheFeed) {
    padding_.assign(50'000, 'x');
    start({.look = 20ms});
    http::TestClient client(port_, 4096);
    client.send(get("/latest/a"));
    ASSERT_TRUE(eventually([this] { return hub_->count() == 1; }));
    feed_.write(400);  // eighteen megabytes, of which it takes none yet
    std::this_thread::sleep_for(300ms);
    EXPECT_LT(told_[0], 400U);
    http::TestClient other(port_);
    other.send(get("/latest/b"));
    ASSERT_TRUE(eventually([this] { return hub_->count() == 2; }));
    feed_.write(1);
    std::string got;
    std::thread reader([&] { got = client.read_to_end(); });
    EXPECT_TRUE(eventually([this] { return told_[0] == 401 && told_[1] == 401; }));
    allowed_ = false;
    reader.join();
    const auto whole = ": following\n\n" + events(1, 401);
    EXPECT_EQ(body_of(got).size(), whole.size());
    EXPECT_TRUE(body_of(got) == whole);
    EXPECT_EQ(body_of(other.read_to_end()), ": following\n\n" + events(401, 401));
}

TEST_F(HubTest, SaysWhatWasSkippedAndThatItLives) {
    start({.heartbeat = 100ms, .look = 20ms});
    feed_.write(9);
    http::TestClient client(port_);
    client.send(get("/2/a"));
    ASSERT_TRUE(eventually([this] { return told_[0] == 9; }));
    std::this_thread::sleep_for(250ms);
    feed_.trimmed = 20;
    feed_.write(15);
    ASSERT_TRUE(eventually([this] { return told_[0] == 24; }));
    const auto body = body_of(end_and_read(client));
    EXPECT_EQ(body.find(": following\n\n" + events(2, 9)), 0U);
    EXPECT_NE(body.find(": alive\n\n"), std::string::npos);
    const auto gap = body.find("event: gap\ndata: {");
    ASSERT_NE(gap, std::string::npos);
    EXPECT_NE(body.find(events(21, 24)), std::string::npos);
    EXPECT_LT(gap, body.find(number(21)));
}

TEST_F(HubTest, HasAnEndToHowManyItServes) {
    start({.most = 3, .most_of_one = 2, .look = 20ms});
    std::vector<std::unique_ptr<http::TestClient>> clients;
    const auto follow = [&](const char* path) {
        clients.push_back(std::make_unique<http::TestClient>(port_));
        clients.back()->send(get(path));
    };
    follow("/latest/a");
    follow("/latest/a");
    ASSERT_TRUE(eventually([this] { return hub_->count() == 2; }));
    follow("/latest/a");
    EXPECT_EQ(clients.back()->read_reply().substr(9, 3), "429");
    follow("/latest/b");
    ASSERT_TRUE(eventually([this] { return hub_->count() == 3; }));
    follow("/latest/c");
    EXPECT_EQ(clients.back()->read_reply().substr(9, 3), "503");
    clients.erase(clients.begin());
    ASSERT_TRUE(eventually([this] { return hub_->count() == 2; }));
    follow("/latest/c");
    EXPECT_TRUE(eventually([this] { return hub_->count() == 3; }));
}

TEST_F(HubTest, EndsWithTheStreamAndRefusesWhatIsNotThere) {
    start({.look = 20ms});
    http::TestClient client(port_);
    client.send(get("/latest/a"));
    ASSERT_TRUE(eventually([this] { return hub_->count() == 1; }));
    feed_.enabled = false;
    feed_.write(1);
    EXPECT_EQ(body_of(client.read_to_end()), ": following\n\n");
    http::TestClient again(port_);
    again.send(get("/latest/a"));
    EXPECT_EQ(again.read_reply().substr(9, 3), "409");
    feed_.enabled = true;
    for (const auto* from : {"/yesterday/a", "/99/a", "/-1/a"}) {
        again.send(get(from));
        EXPECT_EQ(again.read_reply().substr(9, 3), "400") << from;
    }
    Follow follow;
    EXPECT_EQ(hub_->find_start("none", {}, false, follow)->status, 404);
    EXPECT_EQ(hub_->find_start("table", {}, true, follow)->status, 409);
    EXPECT_FALSE(hub_->find_start("table", {.last_event_id = "500"}, false, follow));
    EXPECT_TRUE(follow.gap);
}

}  // namespace
}  // namespace gateleg::api::events

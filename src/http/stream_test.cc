// Bodies that handlers read in pieces, and replies that lie in files.

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace gateleg::http {
namespace {

using namespace std::string_literals;

std::string pattern(std::size_t bytes) {
    std::string text(bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i) {
        text[i] = static_cast<char>('a' + (i * 7 + i / 1000) % 26);
    }
    return text;
}

// A file of known content, read in stretches of a few bytes.
class Stretches final : public FileBody {
public:
    Stretches(std::string_view content, std::size_t at_once, std::uint64_t claimed)
        : FileBody(claimed), file_(std::tmpfile()), size_(content.size()), at_once_(at_once) {
        std::fwrite(content.data(), 1, content.size(), file_);
        std::fflush(file_);
    }
    ~Stretches() override { std::fclose(file_); }
    std::optional<Stretch> stretch(std::uint64_t sent) override {
        if (sent >= size_) {
            return std::nullopt;
        }
        return Stretch{fileno(file_), sent, std::min<std::uint64_t>(at_once_, size_ - sent)};
    }

private:
    std::FILE* file_;
    std::uint64_t size_;
    std::uint64_t at_once_;
};

// Reads bodies in pieces of `piece_bytes`, each taken by another thread, and answers with all.
class StreamHandler final : public Handler {
public:
    ~StreamHandler() override {
        for (auto& thread : threads) {
            thread.join();
        }
    }

    bool streams_body(const RequestHead& head) const override { return head.path() != "/whole"; }
    std::size_t max_body_bytes(const RequestHead& /*head*/) const override { return 16 << 20; }

    void handle(Exchange exchange) override {
        const auto& head = exchange.request().head;
        if (head.path() == "/file") {
            Response response;
            response.file = std::make_unique<Stretches>(file_content, at_once, claimed_bytes);
            exchange.reply(std::move(response));
            return;
        }
        if (head.path() == "/early") {
            exchange.reply({.status = 403, .body = "no"});
            return;
        }
        if (head.path() == "/whole") {
            exchange.reply({.body = "whole " + std::to_string(exchange.request().body.size())});
            return;
        }
        read(std::move(exchange), std::make_shared<State>(piece_bytes));
    }

    std::size_t piece_bytes = 1000;
    bool elsewhere = true;
    std::string file_content;
    std::size_t at_once = 1000;
    std::uint64_t claimed_bytes = 0;
    std::mutex mutex;
    std::vector<std::thread> threads;
    std::atomic<int> last_state{-1};

private:
    struct State {
        explicit State(std::size_t bytes) : buffer(bytes) {}
        std::vector<char> buffer;
        std::string body;
    };

    void read(Exchange exchange, std::shared_ptr<State> state) {
        auto& buffer = state->buffer;
        std::move(exchange).read_body(buffer, [this, state](Exchange back, BodyRead got) mutable {
            if (!elsewhere) {
                take(std::move(back), std::move(state), got);
                return;
            }
            const auto held = std::make_shared<Exchange>(std::move(back));
            const std::lock_guard lock(mutex);
            threads.emplace_back([this, held, state, got]() mutable {
                take(std::move(*held), std::move(state), got);
            });
        });
    }

    void take(Exchange exchange, std::shared_ptr<State> state, BodyRead got) {
        state->body.append(state->buffer.data(), got.bytes);
        last_state = static_cast<int>(got.state);
        if (got.state == BodyRead::State::kMore) {
            read(std::move(exchange), std::move(state));
            return;
        }
        Response response;
        response.status = got.state == BodyRead::State::kEnd ? 200 : 400;
        // The request is still what it was.
        response.body.append(exchange.request().head.path()).append(" ").append(state->body);
        exchange.reply(std::move(response));
    }
};

class StreamTest : public ::testing::Test {
protected:
    void start(const Limits& limits = quick_limits()) {
        server = std::make_unique<Server>(2, limits);
        auto address = server->listen("127.0.0.1", 0, handler);
        ASSERT_TRUE(address) << address.error().message;
        port = address->port;
        server->start();
    }
    std::string upload(TestClient& client, const std::string& request) {
        std::thread sending([&] { client.send(request); });
        auto reply = client.read_reply();
        sending.join();
        return reply;
    }

    StreamHandler handler;
    std::unique_ptr<Server> server;
    std::uint16_t port = 0;
};

std::string body_of(const std::string& reply) {
    const auto end = reply.find("\r\n\r\n");
    return end == std::string::npos ? "none" : reply.substr(end + 4);
}

std::string chunked(const std::string& body, std::size_t chunk_bytes) {
    std::string text;
    for (std::size_t at = 0; at < body.size(); at += chunk_bytes) {
        const auto piece = body.substr(at, chunk_bytes);
        char size[32];
        std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
        text.append(size).append(piece).append("\r\n");
    }
    return text + "0\r\n\r\n";
}

std::string chunked_request(const std::string& body, std::size_t chunk_bytes) {
    return "PUT /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
           chunked(body, chunk_bytes);
}

TEST_F(StreamTest, BodiesArriveWholeInPieces) {
    start();
    for (const std::size_t bytes : {0, 1, 999, 1000, 1001, 70'000, 300'000}) {
        TestClient client(port);
        for (int round = 0; round < 2; ++round) {
            const auto body = pattern(bytes);
            ASSERT_EQ(body_of(upload(client, post("/x", body))), "/x " + body);
        }
    }
}

TEST_F(StreamTest, PiecesTakenOnTheLoopDoNotPileUp) {
    handler.elsewhere = false;
    handler.piece_bytes = 10;
    start();
    TestClient client(port);
    const auto body = pattern(100'000);
    EXPECT_TRUE(body_of(upload(client, post("/x", body))) == "/x " + body);
    EXPECT_TRUE(body_of(upload(client, chunked_request(body, 999))) == "/c " + body);
}

TEST_F(StreamTest, ChunkedBodiesAreDecoded) {
    start();
    for (const std::size_t chunk : {1, 7, 1000, 5000, 100'000}) {
        TestClient client(port);
        const auto body = pattern(chunk == 1 ? 500 : 40'000);
        ASSERT_EQ(body_of(upload(client, chunked_request(body, chunk))), "/c " + body);
        ASSERT_EQ(body_of(upload(client, post("/next", "n"))), "/next n");
    }
}

TEST_F(StreamTest, PipelinedRequestsBehindAStreamedBodyAreSeen) {
    start();
    TestClient client(port);
    client.send(post("/1", "one") + chunked_request("two", 2) + get("/3") + post("/whole", "four"));
    EXPECT_EQ(body_of(client.read_reply()), "/1 one");
    EXPECT_EQ(body_of(client.read_reply()), "/c two");
    EXPECT_EQ(body_of(client.read_reply()), "/3 ");
    EXPECT_EQ(body_of(client.read_reply()), "whole 4");
}

TEST_F(StreamTest, ClientIsToldToGoOnWhenTheBodyIsWanted) {
    start();
    TestClient client(port);
    client.send("PUT /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_TRUE(client.read_reply(true).starts_with("HTTP/1.1 100 "));
    client.send("hi");
    EXPECT_EQ(body_of(client.read_reply()), "/x hi");
}

TEST_F(StreamTest, RefusedBeforeTheBodyTheClientIsNotToldToGoOn) {
    start();
    TestClient client(port);
    client.send(
        "PUT /early HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    );
    client.end_sending();
    const auto reply = client.read_to_end();
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 403 ")) << reply;
    EXPECT_NE(reply.find("Connection: close"), std::string::npos);
}

TEST_F(StreamTest, MalformedChunksAreReported) {
    start();
    TestClient client(port);
    client.send("PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd");
    EXPECT_TRUE(client.read_reply().starts_with("HTTP/1.1 400 "));
    EXPECT_EQ(handler.last_state, static_cast<int>(BodyRead::State::kMalformed));
}

TEST_F(StreamTest, ClientThatLeavesIsReported) {
    start();
    for (const auto* head : {"Content-Length: 10", "Transfer-Encoding: chunked"}) {
        handler.last_state = -1;
        {
            TestClient client(port);
            client.send("PUT /x HTTP/1.1\r\nHost: a\r\n"s + head + "\r\n\r\n");
            client.send("3\r\n");
        }
        for (int i = 0; i < 2000 && handler.last_state != static_cast<int>(BodyRead::State::kGone);
             ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(handler.last_state, static_cast<int>(BodyRead::State::kGone));
    }
}

TEST_F(StreamTest, SlowBodiesEnd) {
    auto limits = quick_limits();
    limits.body_grace = std::chrono::milliseconds(100);
    start(limits);
    TestClient client(port);
    client.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    client.read_to_end();
    EXPECT_EQ(handler.last_state, static_cast<int>(BodyRead::State::kTooSlow));
}

TEST_F(StreamTest, ServerStopsWhileABodyIsAwaited) {
    start();
    TestClient client(port);
    client.send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    while (handler.last_state != static_cast<int>(BodyRead::State::kMore)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    server->stop();
    server.reset();
    for (int i = 0; i < 2000 && handler.last_state != static_cast<int>(BodyRead::State::kGone);
         ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(handler.last_state, static_cast<int>(BodyRead::State::kGone));
}

TEST_F(StreamTest, FilesAreSentWhole) {
    start();
    for (const std::size_t bytes : {0, 1, 1000, 1001, 3'000'000}) {
        handler.file_content = pattern(bytes);
        handler.claimed_bytes = bytes;
        for (const std::size_t at_once : {std::size_t{100'001}, std::size_t{10'000'000}}) {
            handler.at_once = at_once;
            TestClient client(port);
            client.send(get("/file") + get("/file") + get("/whole"));
            for (int i = 0; i < 2; ++i) {
                const auto reply = client.read_reply();
                ASSERT_NE(
                    reply.find("Content-Length: " + std::to_string(bytes) + "\r\n"),
                    std::string::npos
                );
                ASSERT_TRUE(body_of(reply) == handler.file_content);
            }
            ASSERT_EQ(body_of(client.read_reply()), "whole 0");
        }
    }
}

TEST_F(StreamTest, HeadTellsTheSizeOfAFile) {
    handler.claimed_bytes = 5'000'000'000;
    start();
    TestClient client(port);
    client.send("HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n" + get("/whole"));
    EXPECT_NE(client.read_reply(true).find("Content-Length: 5000000000\r\n"), std::string::npos);
    EXPECT_EQ(body_of(client.read_reply()), "whole 0");
}

TEST_F(StreamTest, FileThatIsShorterThanPromisedCutsTheConnection) {
    handler.file_content = "short";
    handler.claimed_bytes = 10;
    start();
    TestClient client(port);
    client.send(get("/file") + get("/whole"));
    EXPECT_EQ(client.read_to_end().find("whole"), std::string::npos);
}

}  // namespace
}  // namespace gateleg::http

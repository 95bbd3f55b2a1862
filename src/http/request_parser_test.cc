#include "http/request_parser.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace gateleg::http {
namespace {

using State = RequestParser::State;
using namespace std::string_literals;

struct Parsed {
    State state = State::kNeedMore;
    int status = 0;
    std::string reason;
    std::size_t head_bytes = 0;
    std::string fields;  // everything the head says
};

std::string describe(const RequestHead& head) {
    std::string text;
    text.append(head.method()).append("|").append(head.path()).append("|").append(head.query());
    text.append("|").append(std::to_string(head.minor_version()));
    text.append(head.keep_alive() ? "|keep" : "|close").append(head.chunked() ? "|chunked" : "");
    text.append(head.expects_continue() ? "|continue" : "");
    if (head.content_length()) {
        text.append("|").append(std::to_string(*head.content_length()));
    }
    for (const Header& header : head.headers()) {
        text.append("\n").append(header.name).append("=").append(header.value);
    }
    return text;
}

Parsed outcome(const RequestParser& parser, State state, const RequestHead& head) {
    Parsed parsed;
    parsed.state = state;
    if (state == State::kBad) {
        parsed.status = parser.status();
        parsed.reason = parser.reason();
    } else if (state == State::kComplete) {
        parsed.head_bytes = parser.head_bytes();
        parsed.fields = describe(head);
    }
    return parsed;
}

Parsed parse(std::string_view text) {
    RequestParser parser;
    RequestHead head;
    const auto state = parser.feed(text, head);
    return outcome(parser, state, head);
}

TEST(RequestParserTest, ReadsAHead) {
    const auto parsed = parse(
        "POST /a/b%20c?x=1&y HTTP/1.1\r\nHost: h:1\r\nX-Amz-Target:\t a b \r\n"
        "empty:\r\nContent-Length: 12\r\nhigh: \xc3\xa4\r\n\r\nbody"
    );
    EXPECT_EQ(parsed.state, State::kComplete) << parsed.reason;
    EXPECT_EQ(
        parsed.fields,
        "POST|/a/b%20c|x=1&y|1|keep|12\nHost=h:1\nX-Amz-Target=a b\nempty=\nContent-Length=12\n"
        "high=\xc3\xa4"
    );
}

TEST(RequestParserTest, FindsHeadersInAnyCase) {
    RequestParser parser;
    RequestHead head;
    ASSERT_EQ(
        parser.feed("GET / HTTP/1.1\r\nhOST: a\r\nX-b: 1\r\nx-B: 2\r\n\r\n", head), State::kComplete
    );
    EXPECT_EQ(head.find("Host"), "a");
    EXPECT_EQ(head.find("x-b"), "1");
    EXPECT_EQ(head.find("x-"), std::nullopt);
}

TEST(RequestParserTest, KnowsWhoKeepsTheConnection) {
    const struct {
        const char* version;
        const char* connection;
        bool keep;
    } cases[] = {
        {"1.1", "", true},
        {"1.1", "Connection: close\r\n", false},
        {"1.1", "Connection: foo , CLOSE\r\n", false},
        {"1.1", "Connection: keep-alive\r\n", true},
        {"1.0", "", false},
        {"1.0", "Connection: Keep-Alive\r\n", true},
        {"1.0", "Connection: keep-alive, close\r\n", false},
    };
    for (const auto& each : cases) {
        const auto parsed =
            parse("GET / HTTP/"s + each.version + "\r\nHost: a\r\n" + each.connection + "\r\n");
        ASSERT_EQ(parsed.state, State::kComplete);
        EXPECT_EQ(parsed.fields.find("|keep") != std::string::npos, each.keep) << each.connection;
    }
}

TEST(RequestParserTest, RefusesWhatIsAmbiguous) {
    const std::string line = "GET / HTTP/1.1\r\n";
    const std::string start = line + "Host: a\r\n";
    const struct {
        std::string text;
        int status;
    } cases[] = {
        // Framing.
        {start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {start + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400},
        {start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        {start + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400},
        {start + "Content-Length: 1, 1\r\n\r\n", 400},
        {start + "Content-Length: +1\r\n\r\n", 400},
        {start + "Content-Length: -1\r\n\r\n", 400},
        {start + "Content-Length: 0x1\r\n\r\n", 400},
        {start + "Content-Length: 1 1\r\n\r\n", 400},
        {start + "Content-Length:\r\n\r\n", 400},
        {start + "Content-Length: 18446744073709551617\r\n\r\n", 400},
        {start + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
        {start + "Transfer-Encoding: chunked, chunked\r\n\r\n", 501},
        {start + "Transfer-Encoding: xchunked\r\n\r\n", 501},
        {start + "Transfer-Encoding: identity\r\n\r\n", 501},
        {start + "Transfer-Encoding:\r\n\r\n", 501},
        {start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", 400},
        {start + "Transfer-Encoding : chunked\r\n\r\n", 400},
        {start + "Transfer-Encoding: \x0b" + "chunked\r\n\r\n", 400},
        {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        // Lines.
        {"GET / HTTP/1.1\nHost: a\n\n", 400},
        {line + "Host: a\n\r\n", 400},
        {start + "a: b\r\r\n\r\n", 400},
        {start + "a: b\rc: d\r\n\r\n", 400},
        {start + " folded\r\n\r\n", 400},
        {start + "\tfolded: x\r\n\r\n", 400},
        {line + " Host: a\r\n\r\n", 400},
        {"\r\n" + start + "\r\n", 400},
        {"\n" + start + "\r\n", 400},
        // Header names and values.
        {start + "a : b\r\n\r\n", 400},
        {start + "a\t: b\r\n\r\n", 400},
        {start + ": b\r\n\r\n", 400},
        {start + "a b: c\r\n\r\n", 400},
        {start + "noColon\r\n\r\n", 400},
        {start + "a\0b: c\r\n\r\n"s, 400},
        {start + "a: b\0c\r\n\r\n"s, 400},
        {start + "a: b\x7f\r\n\r\n", 400},
        {start + "a: b\x01\r\n\r\n", 400},
        {start + "\xc3\xa4: b\r\n\r\n", 400},
        {start + "a(: b\r\n\r\n", 400},
        // Host and Expect.
        {line + "\r\n", 400},
        {start + "Host: b\r\n\r\n", 400},
        {start + "Host: a\r\n\r\n", 400},
        {start + "Expect: 200-ok\r\n\r\n", 417},
        // Request line.
        {"GET /\r\nHost: a\r\n\r\n", 400},
        {"GET\r\nHost: a\r\n\r\n", 400},
        {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
        {" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /\x80 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s, 400},
        {"GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
        {"GET / HTTP/1.10\r\nHost: a\r\n\r\n", 505},
        {"GET / http/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET / XTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"PRI * HTTP/2.0\r\n\r\n", 400},
    };
    for (const auto& each : cases) {
        const auto parsed = parse(each.text);
        EXPECT_EQ(parsed.state, State::kBad) << each.text;
        EXPECT_EQ(parsed.status, each.status) << each.text << parsed.reason;
    }
}

TEST(RequestParserTest, AcceptsWhatIsMerelyUnusual) {
    const std::string cases[] = {
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /?a?b HTTP/1.1\r\nHost:\r\n\r\n",
        "M-SEARCH // HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nx: a\tb\r\n\r\n",
    };
    for (const auto& text : cases) {
        const auto parsed = parse(text);
        EXPECT_EQ(parsed.state, State::kComplete) << text << parsed.reason;
        EXPECT_EQ(parsed.head_bytes, text.size());
    }
}

TEST(RequestParserTest, CountsHeadersAndBytes) {
    const auto with_headers = [](std::size_t count) {
        std::string text = "GET / HTTP/1.1\r\nHost: a\r\n";
        for (std::size_t i = 1; i < count; ++i) {
            text += "a: b\r\n";
        }
        return text + "\r\n";
    };
    EXPECT_EQ(parse(with_headers(100)).state, State::kComplete);
    EXPECT_EQ(parse(with_headers(101)).status, 431);

    const auto with_bytes = [](std::size_t count) {
        const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nx: ";
        return start + std::string(count - start.size() - 4, 'v') + "\r\n\r\n";
    };
    EXPECT_EQ(parse(with_bytes(16 * 1024)).state, State::kComplete);
    EXPECT_EQ(parse(with_bytes(16 * 1024 + 1)).status, 431);
    EXPECT_EQ(parse("GET /" + std::string(16 * 1024, 'a')).status, 431);
    EXPECT_EQ(parse(std::string(100, 'a')).state, State::kNeedMore);
}

TEST(RequestParserTest, BareNewlineIsRefusedBeforeTheEnd) {
    EXPECT_EQ(parse("GET / HTTP/1.1\n").status, 400);
}

// The same bytes in random pieces, moved to another place each time, come to the same end.
TEST(RequestParserTest, PiecesAreParsedLikeTheWhole) {
    const std::string cases[] = {
        "POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
        "GET / HTTP/1.1\r\nHost: a\r\nx: b\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n y: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nlong: " + std::string(17000, 'x') + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost",
    };
    std::mt19937 random(20);
    for (const auto& text : cases) {
        const auto whole = parse(text);
        for (int round = 0; round < 200; ++round) {
            RequestParser parser;
            RequestHead head;
            State state = State::kNeedMore;
            std::string moved;
            std::size_t fed = 0;
            while (state == State::kNeedMore && fed < text.size()) {
                const auto most = std::max<std::size_t>(text.size() / 10, 3);
                fed = std::min(fed + 1 + random() % most, text.size());
                moved = std::string(text, 0, fed);
                state = parser.feed(moved, head);
            }
            const auto pieces = outcome(parser, state, head);
            ASSERT_EQ(pieces.state, whole.state) << text;
            ASSERT_EQ(pieces.status, whole.status);
            ASSERT_EQ(pieces.head_bytes, whole.head_bytes);
            ASSERT_EQ(pieces.fields, whole.fields);
        }
    }
}

TEST(RequestParserTest, IsReadyAgainAfterReset) {
    RequestParser parser;
    RequestHead head;
    ASSERT_EQ(
        parser.feed(
            "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", head
        ),
        State::kComplete
    );
    parser.reset();
    ASSERT_EQ(parser.feed("GET /b HTTP/1.0\r\n\r\n", head), State::kComplete);
    EXPECT_EQ(describe(head), "GET|/b||0|close");
}

}  // namespace
}  // namespace gateleg::http

#include "http/chunked_decoder.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace gateleg::http {
namespace {

using Event = ChunkedDecoder::Event;
using namespace std::string_literals;

struct Decoded {
    Event event = Event::kNeedMore;
    std::string body;
    std::string rest;
};

// Feeds `text` in pieces of at most `piece_bytes`.
Decoded decode(std::string_view text, std::size_t piece_bytes, std::mt19937* random = nullptr) {
    ChunkedDecoder decoder;
    Decoded decoded;
    while (!text.empty() && decoded.event == Event::kNeedMore) {
        const auto bytes = random != nullptr ? 1 + (*random)() % piece_bytes : piece_bytes;
        std::string_view input = text.substr(0, bytes);
        const auto given = input.size();
        std::string_view piece;
        while ((decoded.event = decoder.next(input, piece)) == Event::kData) {
            decoded.body += piece;
        }
        text.remove_prefix(given - input.size());
    }
    decoded.rest = text;
    return decoded;
}

TEST(ChunkedDecoderTest, JoinsChunks) {
    const std::string text =
        "5\r\nhello\r\nA;name=\"v\"\r\n0123456789\r\n00001\r\n!\r\n0\r\nX-Sum: 1\r\nY: "
        "2\r\n\r\nnext";
    std::mt19937 random(7);
    for (const std::size_t bytes : {text.size(), std::size_t{1}, std::size_t{3}}) {
        const auto decoded = decode(text, bytes);
        EXPECT_EQ(decoded.event, Event::kEnd);
        EXPECT_EQ(decoded.body, "hello0123456789!");
        EXPECT_EQ(decoded.rest, "next");
    }
    for (int round = 0; round < 200; ++round) {
        const auto decoded = decode(text, 9, &random);
        ASSERT_EQ(decoded.event, Event::kEnd);
        ASSERT_EQ(decoded.body, "hello0123456789!");
        ASSERT_EQ(decoded.rest, "next");
    }
}

TEST(ChunkedDecoderTest, WaitsForTheEnd) {
    for (const auto* text :
         {"", "5", "5\r\nhel", "5\r\nhello\r\n", "0\r\n", "0\r\n\r", "0\r\na: b\r\n"}) {
        EXPECT_EQ(decode(text, 100).event, Event::kNeedMore) << text;
    }
}

TEST(ChunkedDecoderTest, RefusesWhatIsMalformed) {
    const std::string cases[] = {
        "\r\n",
        "g\r\n",
        "-1\r\n",
        "+1\r\n",
        "0x1\r\n",
        " 1\r\n",
        "1 \r\na\r\n",
        "1\na\r\n",
        "1\r\na\n",
        "1\r\nab\r\n",
        "1\r\na\r\r",
        "1\ra",
        ";x\r\n",
        "ffffffffffffffff\r\n",
        "10000000000000000\r\n",
        "00000000000000000001\r\n",
        "1;a\nb\r\n",
        "1;a\0b\r\n"s,
        "1;" + std::string(257, 'x') + "\r\n",
        "0\r\n\n",
        "0\r\n folded: x\r\n",
        "0\r\na: b\n",
        "0\r\na: \x01\r\n",
        "0\r\na: " + std::string(5000, 'x') + "\r\n\r\n",
    };
    for (const auto& text : cases) {
        EXPECT_EQ(decode(text, 10000).event, Event::kBad) << text;
        EXPECT_EQ(decode(text, 1).event, Event::kBad) << text;
    }
    EXPECT_EQ(
        decode("1;" + std::string(256, 'x') + "\r\na\r\n0\r\n\r\n", 10000).event, Event::kEnd
    );
}

TEST(ChunkedDecoderTest, StaysBad) {
    ChunkedDecoder decoder;
    std::string_view piece;
    std::string_view bad = "zz";
    EXPECT_EQ(decoder.next(bad, piece), Event::kBad);
    std::string_view good = "0\r\n\r\n";
    EXPECT_EQ(decoder.next(good, piece), Event::kBad);
}

}  // namespace
}  // namespace gateleg::http

#include "api/dynamodb/gunzip.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

namespace gateleg::api::dynamodb {
namespace {

constexpr std::size_t kPlenty = 1 << 24;
constexpr int kGzip = 16 + MAX_WBITS;

std::string compressed(const std::string& text, int window_bits = kGzip) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

// Text that does not shrink much.
std::string noise(std::size_t size) {
    std::string text(size, '\0');
    std::uint32_t state = 1;
    for (auto& each : text) {
        state = state * 1664525 + 1013904223;
        each = static_cast<char>(state >> 24);
    }
    return text;
}

std::string code_of(const Result<std::string>& result) {
    return result ? "" : std::string(wire_name(result.error().code));
}

TEST(GunzipTest, InflatesAndPads) {
    for (const std::size_t size : {0, 1, 1000, 65535, 65536, 65537, 131072, 1000000}) {
        const auto text = noise(size);
        const auto result = gunzip(compressed(text), kPlenty, 64);
        ASSERT_TRUE(result) << size;
        EXPECT_EQ(*result, text + std::string(64, '\0')) << size;
    }
}

TEST(GunzipTest, SizeLimitIsExact) {
    const auto body = compressed(noise(100'000));
    EXPECT_TRUE(gunzip(body, 100'000, 0));
    EXPECT_EQ(code_of(gunzip(body, 99'999, 0)), wire_name(ErrorCode::kRequestTooLarge));
}

TEST(GunzipTest, BombsAreRefusedBeforeTheyTakeTheMemory) {
    // A thousandfold: 16 MB in 16 KB. What is allowed by size is not allowed by ratio.
    const auto bomb = compressed(std::string(16 << 20, 'a'));
    ASSERT_LT(bomb.size(), 20'000U);
    EXPECT_EQ(
        code_of(gunzip(bomb, std::size_t{1} << 30, 0)), wire_name(ErrorCode::kRequestTooLarge)
    );
    // A small body may grow more, for it stays small.
    EXPECT_TRUE(gunzip(compressed(std::string(60'000, 'a')), kPlenty, 0));
}

TEST(GunzipTest, BrokenInputIsASerializationError) {
    const auto good = compressed(noise(5000));
    const auto broken = wire_name(ErrorCode::kSerialization);
    EXPECT_EQ(code_of(gunzip("", kPlenty, 0)), broken);
    EXPECT_EQ(code_of(gunzip("{\"TableName\":\"t\"}", kPlenty, 0)), broken);
    EXPECT_EQ(code_of(gunzip(good.substr(0, good.size() - 1), kPlenty, 0)), broken);
    EXPECT_EQ(code_of(gunzip(good.substr(0, 10), kPlenty, 0)), broken);
    EXPECT_EQ(code_of(gunzip(good + "x", kPlenty, 0)), broken);
    EXPECT_EQ(code_of(gunzip(good + good, kPlenty, 0)), broken);
    auto wrong_checksum = good;
    wrong_checksum[wrong_checksum.size() - 5] ^= 1;
    EXPECT_EQ(code_of(gunzip(wrong_checksum, kPlenty, 0)), broken);
    // zlib's own framing and raw deflate are not gzip.
    EXPECT_EQ(code_of(gunzip(compressed("text", MAX_WBITS), kPlenty, 0)), broken);
    EXPECT_EQ(code_of(gunzip(compressed("text", -MAX_WBITS), kPlenty, 0)), broken);
}

RC_GTEST_PROP(GunzipTest, AnythingRoundTripsAndNoCutGoesUnnoticed, ()) {
    const auto text = *rc::gen::arbitrary<std::string>();
    const auto body = compressed(text);
    const auto result = gunzip(body, kPlenty, 0);
    RC_ASSERT(result.has_value());
    RC_ASSERT(*result == text);
    const auto cut = *rc::gen::inRange<std::size_t>(0, body.size());
    RC_ASSERT(!gunzip(std::string_view(body).substr(0, cut), kPlenty, 0).has_value());
}

}  // namespace
}  // namespace gateleg::api::dynamodb

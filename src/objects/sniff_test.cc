#include "objects/sniff.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "objects/errors.h"
#include "objects/test_pictures.h"
#include "objects/test_store.h"

namespace gateleg::objects {
namespace {

using namespace std::string_literals;

TEST(SniffTest, SizesOfImagesWithoutDecoding) {
    const std::vector<std::pair<std::string, Sniffed>> cases = {
        {make_jpeg(40, 30), {MediaKind::kJpeg, 40, 30, 1}},
        {make_png(41, 31), {MediaKind::kPng, 41, 31, 1}},
        {make_webp(42, 32, false), {MediaKind::kWebp, 42, 32, 1}},
        {make_webp(43, 33, true), {MediaKind::kWebp, 43, 33, 1}},
        {make_gif(44, 34), {MediaKind::kGif, 44, 34, 1}},
        {make_gif(5, 6, 7), {MediaKind::kGif, 5, 6, 7}},
    };
    for (const auto& [bytes, expected] : cases) {
        const auto what = sniff(bytes);
        ASSERT_TRUE(what) << media_type(expected.kind);
        EXPECT_EQ(*what, expected) << media_type(expected.kind);
    }
}

TEST(SniffTest, KindsByFirstBytes) {
    const std::vector<std::pair<std::string, MediaKind>> cases = {
        {"<!DOCTYPE HTML><p>", MediaKind::kHtml},
        {"\xEF\xBB\xBF \n<HtMl>", MediaKind::kHtml},
        {"<script>alert(1)</script>", MediaKind::kHtml},
        {"<svg xmlns='http://www.w3.org/2000/svg'>", MediaKind::kSvg},
        {"<?xml version='1.0'?><!-- x --><svg>", MediaKind::kSvg},
        {"<?xml version='1.0'?><feed>", MediaKind::kXml},
        {"%PDF-1.7", MediaKind::kPdf},
        {"PK\x03\x04rest", MediaKind::kZip},
        {"\x1A\x45\xDF\xA3", MediaKind::kWebm},
        {"\0\0\0\x20"s + "ftypisom", MediaKind::kMp4},
        {"\0\0\0\x20"s + "ftypavif", MediaKind::kAvif},
        {"just words\n", MediaKind::kText},
        {"\0\1\2\3"s, MediaKind::kUnknown},
        {"", MediaKind::kUnknown},
        {"<paragraph is no tag of HTML", MediaKind::kText},
    };
    for (const auto& [bytes, kind] : cases) {
        EXPECT_EQ(sniff_kind(bytes), kind) << bytes;
    }
}

TEST(SniffTest, HeadersThatAreCutOffAreNoImages) {
    for (const auto& whole :
         {make_jpeg(40, 30), make_png(40, 30), make_webp(40, 30, true), make_gif(40, 30)}) {
        EXPECT_EQ(reason(sniff(whole.substr(0, 16))), Reason::kNotAnImage);
    }
}

TEST(SniffTest, ChunksWithoutFramesAreNotLookedAtForEver) {
    // An animated WebP of four gigabytes, all of it empty chunks.
    const auto head =
        "RIFF\xff\xff\xff\xffWEBPVP8X\x0a"s + std::string(3, '\0') + '\x02' + std::string(9, '\0');
    constexpr std::uint64_t kBytes = std::uint64_t{4} << 30;
    std::uint64_t reads = 0;
    const auto what = sniff(
        kBytes,
        [&](std::uint64_t offset, char* out, std::size_t size) -> Result<std::size_t> {
            ++reads;
            std::memset(out, 0, size);
            if (offset < head.size()) {
                std::memcpy(
                    out, head.data() + offset, std::min<std::size_t>(size, head.size() - offset)
                );
            }
            return size;
        }
    );
    ASSERT_TRUE(what);
    EXPECT_EQ(what->frames, 1U);
    EXPECT_LT(reads, 1000U);
}

TEST(SniffTest, ActiveContentByDeclaredType) {
    for (const auto* type :
         {"text/html",
          "TEXT/HTML; charset=utf-8",
          "image/svg+xml",
          "application/xhtml+xml",
          "text/xml ;a=b",
          "multipart/x-mixed-replace"}) {
        EXPECT_TRUE(is_active_content(type)) << type;
    }
    for (const auto* type : {"image/png", "text/plain", "", "application/json", "video/mp4"}) {
        EXPECT_FALSE(is_active_content(type)) << type;
    }
}

TEST(SniffTest, LimitsNameWhatIsTooLarge) {
    const ImageLimits limits{1000, 100, 20, 3};
    EXPECT_TRUE(check_limits({MediaKind::kPng, 10, 10, 1}, 1000, limits));
    for (const auto& [what, bytes] : std::vector<std::pair<Sniffed, std::uint64_t>>{
             {{MediaKind::kPng, 10, 10, 1}, 1001},
             {{MediaKind::kPng, 10, 11, 1}, 10},
             {{MediaKind::kPng, 1, 21, 1}, 10},
             {{MediaKind::kGif, 1, 1, 4}, 10}}) {
        EXPECT_EQ(reason(check_limits(what, bytes, limits)), Reason::kImageTooLarge);
    }
    EXPECT_TRUE(check_limits({MediaKind::kText, 0, 0, 0}, 5000, limits));
}

RC_GTEST_PROP(SniffProperty, DamagedImagesNeverHurt, ()) {
    static const std::vector<std::string> kImages = {
        make_jpeg(20, 10),
        make_png(20, 10),
        make_webp(20, 10, false),
        make_webp(20, 10, true),
        make_gif(20, 10, 3)};
    auto bytes = *rc::gen::elementOf(kImages);
    const auto flips = *rc::gen::inRange(0, 6);
    for (int i = 0; i < flips; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
        bytes[at] = *rc::gen::arbitrary<char>();
    }
    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
    const auto what = sniff(bytes);
    const bool known = what || reason_of(what.error()) == Reason::kNotAnImage;
    RC_ASSERT(known);
    // The decoders too; in the program they are alone in a process.
    if (sniff_kind(bytes) == MediaKind::kGif) {
        internal::decode_gif(bytes);
    }
}

}  // namespace
}  // namespace gateleg::objects

#include "objects/thumbnail.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "objects/errors.h"
#include "objects/internal/lock_in.h"
#include "objects/test_pictures.h"
#include "objects/test_store.h"

namespace gateleg::objects {
namespace {

using namespace std::string_literals;

ThumbnailOptions patient() {
    ThumbnailOptions options;
    options.deadline = std::chrono::seconds(50);
    return options;
}

TEST(ThumbnailTest, EveryKindGetsSmaller) {
    const ThumbnailMaker maker(patient());
    for (const auto& image :
         {make_jpeg(300, 200),
          make_png(300, 200),
          make_webp(300, 200, false),
          make_webp(300, 200, true),
          make_gif(300, 200, 2)}) {
        const auto small = maker.make(image, 90);
        ASSERT_TRUE(small) << media_type(sniff_kind(image));
        EXPECT_EQ(small->kind, MediaKind::kJpeg);
        EXPECT_EQ(small->width, 90);
        EXPECT_EQ(small->height, 60);
        EXPECT_EQ(*sniff(small->bytes), (Sniffed{MediaKind::kJpeg, 90, 60, 1}));
    }
}

TEST(ThumbnailTest, SmallOnesKeepTheirSize) {
    const ThumbnailMaker maker(patient());
    const auto small = maker.make(make_png(30, 20), 90);
    ASSERT_TRUE(small);
    EXPECT_EQ(small->width, 30);
    EXPECT_EQ(small->height, 20);
}

TEST(ThumbnailTest, TransparencyStays) {
    const ThumbnailMaker maker(patient());
    const auto small = maker.make(make_png(300, 200, 0x80), 90);
    ASSERT_TRUE(small);
    EXPECT_EQ(small->kind, MediaKind::kPng);
    const auto picture = internal::decode_png(small->bytes);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->pixels[3], 0x80);
}

TEST(ThumbnailTest, OrientationIsAppliedAndMetadataDropped) {
    const auto jpeg = make_jpeg(40, 20);
    // A directory with the one entry "turn right".
    const auto tiff = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"s;
    const auto exif = "Exif\0\0"s + tiff;
    const auto turned = jpeg.substr(0, 2) + "\xFF\xE1"s + '\0' +
                        static_cast<char>(exif.size() + 2) + exif + jpeg.substr(2);
    const ThumbnailMaker maker(patient());
    const auto small = maker.make(turned, 90);
    ASSERT_TRUE(small);
    EXPECT_EQ(small->width, 20);
    EXPECT_EQ(small->height, 40);
    EXPECT_EQ(small->bytes.find("Exif"), std::string::npos);
}

TEST(ThumbnailTest, BombsAreRefusedUndecoded) {
    // 100 000 x 100 000 pixels in a hundred bytes.
    auto png = make_png(1, 1);
    png.replace(16, 8, big32(100'000) + big32(100'000));
    ThumbnailOptions options = patient();
    options.command = {"/nowhere/no-worker-is-started"};
    const ThumbnailMaker maker(options);
    EXPECT_EQ(reason(maker.make(png, 90)), Reason::kImageTooLarge);
    auto jpeg = make_jpeg(8, 8);
    const auto frame = jpeg.find("\xFF\xC0"s);
    ASSERT_NE(frame, std::string::npos);
    jpeg.replace(frame + 5, 4, "\xFF\xFF\xFF\xFF");
    EXPECT_EQ(reason(maker.make(jpeg, 90)), Reason::kImageTooLarge);
    EXPECT_EQ(reason(maker.make("plain text", 90)), Reason::kNotAnImage);
    EXPECT_EQ(reason(maker.make("<svg/>", 90)), Reason::kNotAnImage);
    EXPECT_EQ(reason(maker.make(make_png(1, 1), 0)), Reason::kInvalidArgument);
}

TEST(ThumbnailTest, TruncatedAndDamagedImagesAreNoImages) {
    const ThumbnailMaker maker(patient());
    for (auto image :
         {make_jpeg(300, 200), make_png(300, 200), make_webp(300, 200, true), make_gif(300, 200)}) {
        const auto kind = media_type(sniff_kind(image));
        EXPECT_EQ(reason(maker.make(image.substr(0, image.size() / 2), 90)), Reason::kNotAnImage)
            << kind;
    }
    // Says that it is larger than its data, within the limits.
    auto png = make_png(10, 10);
    png.replace(16, 8, big32(5000) + big32(5000));
    EXPECT_EQ(reason(maker.make(png, 90)), Reason::kNotAnImage);
}

TEST(ThumbnailTest, WorkerThatHangsIsEnded) {
    auto options = patient();
    options.command = {"/bin/sleep"};  // edge, bytes and seconds add up to years
    options.deadline = std::chrono::seconds(1);
    const ThumbnailMaker maker(options);
    EXPECT_EQ(reason(maker.make(make_png(1, 1), 90)), Reason::kNotAnImage);
}

TEST(ThumbnailTest, WorkerThatTellsStoriesIsNotBelieved) {
    auto options = patient();
    options.command = {"/bin/echo"};
    EXPECT_EQ(reason(ThumbnailMaker(options).make(make_png(1, 1), 90)), Reason::kNotAnImage);
    options.command = {"/usr/bin/yes"};
    EXPECT_EQ(reason(ThumbnailMaker(options).make(make_png(1, 1), 90)), Reason::kNotAnImage);
    // The image itself comes back: it is larger than what was asked for.
    options.command = {"/bin/sh", "-c", "cat"};
    EXPECT_EQ(reason(ThumbnailMaker(options).make(make_png(100, 100), 90)), Reason::kNotAnImage);
    options.command = {"/nowhere/no-such-program"};
    const auto failed = ThumbnailMaker(options).make(make_png(1, 1), 90);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
}

TEST(ThumbnailTest, LockedInThereIsNothingToOpen) {
    if (!internal::locks_in_fully()) {
        return;  // a sanitizer needs what the lock takes away; only limits hold here
    }
    const auto child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        internal::lock_in(std::uint64_t{1} << 30, 20);
        const bool opened = ::open("/etc/hostname", O_RDONLY) >= 0;
        const bool connected = ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
        const bool forked = ::fork() >= 0;
        const bool has_memory = ::mmap(
                                    nullptr,
                                    std::size_t{2} << 30,
                                    PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                    -1,
                                    0
                                ) != MAP_FAILED;
        ::_exit(opened || connected || forked || has_memory ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(PictureTest, TurnsAsExifNumbersThem) {
    // 1 2 3
    // 4 5 6
    internal::Picture picture{3, 2, {}};
    for (std::uint8_t i = 1; i <= 6; ++i) {
        picture.pixels.insert(picture.pixels.end(), {i, i, i, 0xFF});
    }
    const auto shown = [&](int orientation) {
        const auto turned = internal::turn(picture, orientation);
        std::string out;
        for (std::size_t i = 0; i < turned.pixels.size(); i += 4) {
            out += std::to_string(turned.pixels[i]);
        }
        return out;
    };
    EXPECT_EQ(shown(1), "123456");
    EXPECT_EQ(shown(2), "321654");
    EXPECT_EQ(shown(3), "654321");
    EXPECT_EQ(shown(4), "456123");
    EXPECT_EQ(shown(5), "142536");
    EXPECT_EQ(shown(6), "415263");
    EXPECT_EQ(shown(7), "635241");
    EXPECT_EQ(shown(8), "362514");
    EXPECT_EQ(shown(9), "123456");
}

}  // namespace
}  // namespace gateleg::objects

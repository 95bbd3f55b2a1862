// Any bytes as an upload: what they are, and the one decoder that is our own.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "objects/errors.h"
#include "objects/internal/picture.h"
#include "objects/sniff.h"

namespace {

using namespace gateleg::objects;  // NOLINT: the target is all about it
using gateleg::Result;

// The limits that it just keeps, and each of them one lower.
void expect_limits(const Sniffed& what, std::uint64_t bytes) {
    const ImageLimits exact{
        .max_bytes = bytes,
        .max_pixels = std::uint64_t{what.width} * what.height,
        .max_edge = std::max(what.width, what.height),
        .max_frames = what.frames};
    GATELEG_CHECK(check_limits(what, bytes, exact).has_value());
    auto lower = std::array{exact, exact, exact, exact};
    --lower[0].max_bytes;
    --lower[1].max_pixels;
    --lower[2].max_edge;
    --lower[3].max_frames;
    for (const auto& limits : lower) {
        GATELEG_CHECK(check_limits(what, bytes, limits).has_value() == !is_image(what.kind));
    }
}

// A disk that fails at the first or second read is told, not taken for a bad picture.
void expect_failures_told(std::string_view bytes) {
    for (int good = 0; good < 2; ++good) {
        int reads = 0;
        const auto what = sniff(
            bytes.size(),
            [&](std::uint64_t offset, char* out, std::size_t size) -> Result<std::size_t> {
                if (reads++ == good) {
                    return gateleg::service_unavailable("broken");
                }
                const auto piece = bytes.substr(offset, size);
                std::memcpy(out, piece.data(), piece.size());
                return piece.size();
            }
        );
        if (reads > good) {
            GATELEG_CHECK(!what && reason_of(what.error()) == std::nullopt);
        }
    }
}

// The same bytes again and again, and a body that ends before its size says so: both come to an
// end.
void sniff_long(std::string_view bytes) {
    constexpr std::uint64_t kLongBytes = std::uint64_t{8} << 20;
    const auto repeated = sniff(
        kLongBytes,
        [&](std::uint64_t offset, char* out, std::size_t size) -> Result<std::size_t> {
            const auto count = std::min<std::uint64_t>(size, kLongBytes - offset);
            for (std::size_t done = 0; done < count;) {
                const auto piece = bytes.substr((offset + done) % bytes.size(), count - done);
                std::memcpy(out + done, piece.data(), piece.size());
                done += piece.size();
            }
            return count;
        }
    );
    GATELEG_CHECK(repeated || reason_of(repeated.error()) == Reason::kNotAnImage);
    const auto cut = sniff(
        bytes.size() + 64,
        [&](std::uint64_t offset, char* out, std::size_t size) -> Result<std::size_t> {
            const auto piece = bytes.substr(std::min<std::size_t>(offset, bytes.size()), size);
            std::memcpy(out, piece.data(), piece.size());
            return piece.size();
        }
    );
    GATELEG_CHECK(cut || reason_of(cut.error()) == Reason::kNotAnImage);
}

void decode(std::string_view bytes, const Sniffed& what) {
    constexpr std::uint64_t kMaxPixels = 1 << 20;
    if (what.kind != MediaKind::kGif || std::uint64_t{what.width} * what.height > kMaxPixels) {
        return;
    }
    if (const auto picture = internal::decode_gif(bytes)) {
        GATELEG_CHECK(picture->width <= what.width && picture->height <= what.height);
        GATELEG_CHECK(picture->pixels.size() == std::size_t{4} * picture->width * picture->height);
    }
}

// The bytes as a declared type: parameters do not change what it is.
void read_type(std::string_view type) {
    const std::string plain(type.substr(0, type.find(';')));
    GATELEG_CHECK(is_active_content(type) == is_active_content(plain + "; a=text/plain"));
    GATELEG_CHECK(is_active_content(type) == is_active_content(" " + plain + "\t"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto kind = sniff_kind(bytes);
    GATELEG_CHECK(media_type(kind).find('/') != std::string_view::npos);
    const auto what = sniff(bytes);
    GATELEG_CHECK(what || reason_of(what.error()) == Reason::kNotAnImage);
    GATELEG_CHECK(what ? what->kind == kind : is_image(kind));
    if (what) {
        expect_limits(*what, size);
        decode(bytes, *what);
    }
    expect_failures_told(bytes);
    if (is_image(kind)) {
        sniff_long(bytes);
    }
    constexpr std::size_t kMaxTypeBytes = 256;
    read_type(bytes.substr(0, kMaxTypeBytes));
    return 0;
}

#include "objects/internal/picture.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gateleg::objects::internal {

bool Picture::is_opaque() const {
    for (std::size_t i = 3; i < pixels.size(); i += 4) {
        if (pixels[i] != 0xFF) {
            return false;
        }
    }
    return true;
}

Picture shrink(const Picture& picture, std::uint32_t max_edge) {
    const auto edge = std::max(picture.width, picture.height);
    if (edge <= max_edge) {
        return picture;
    }
    const auto scaled = [&](std::uint32_t length) {
        return std::max<std::uint32_t>(
            1, static_cast<std::uint32_t>(std::uint64_t{length} * max_edge / edge)
        );
    };
    Picture out;
    out.width = scaled(picture.width);
    out.height = scaled(picture.height);
    out.pixels.resize(std::size_t{out.width} * out.height * 4);
    for (std::uint32_t y = 0; y < out.height; ++y) {
        const auto top = std::uint64_t{y} * picture.height / out.height;
        const auto bottom = std::max(top + 1, std::uint64_t{y + 1} * picture.height / out.height);
        for (std::uint32_t x = 0; x < out.width; ++x) {
            const auto left = std::uint64_t{x} * picture.width / out.width;
            const auto right = std::max(left + 1, std::uint64_t{x + 1} * picture.width / out.width);
            // Colours weigh as much as they can be seen: what is transparent must not bleed.
            std::array<std::uint64_t, 4> sum{};
            for (auto row = top; row < bottom; ++row) {
                const auto* pixel = &picture.pixels[(row * picture.width + left) * 4];
                for (auto column = left; column < right; ++column, pixel += 4) {
                    const std::uint64_t alpha = pixel[3];
                    sum[0] += pixel[0] * alpha;
                    sum[1] += pixel[1] * alpha;
                    sum[2] += pixel[2] * alpha;
                    sum[3] += alpha;
                }
            }
            auto* pixel = &out.pixels[(std::size_t{y} * out.width + x) * 4];
            if (sum[3] > 0) {
                for (std::size_t c = 0; c < 3; ++c) {
                    pixel[c] = static_cast<std::uint8_t>((sum[c] + sum[3] / 2) / sum[3]);
                }
            }
            const auto count = (bottom - top) * (right - left);
            pixel[3] = static_cast<std::uint8_t>((sum[3] + count / 2) / count);
        }
    }
    return out;
}

Picture turn(Picture picture, int orientation) {
    if (orientation < 2 || orientation > 8) {
        return picture;
    }
    const bool swapped = orientation >= 5;
    Picture out;
    out.width = swapped ? picture.height : picture.width;
    out.height = swapped ? picture.width : picture.height;
    out.pixels.resize(picture.pixels.size());
    for (std::uint32_t y = 0; y < out.height; ++y) {
        for (std::uint32_t x = 0; x < out.width; ++x) {
            auto from_x = swapped ? y : x;
            auto from_y = swapped ? x : y;
            if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) {
                from_x = picture.width - 1 - from_x;
            }
            if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) {
                from_y = picture.height - 1 - from_y;
            }
            const auto* from = &picture.pixels[(std::size_t{from_y} * picture.width + from_x) * 4];
            std::copy_n(from, 4, &out.pixels[(std::size_t{y} * out.width + x) * 4]);
        }
    }
    return out;
}

}  // namespace gateleg::objects::internal

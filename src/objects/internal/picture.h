// Decoded pictures. Runs in the thumbnail worker only: what is decoded here is not trusted.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/sniff.h"

namespace gateleg::objects::internal {

// Rows of four bytes a pixel: red, green, blue, alpha (not multiplied).
struct Picture {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> pixels;

    bool is_opaque() const;
};

// Nothing if it cannot be decoded. `max_edge` lets a decoder skip detail that nobody will see: the
// picture is at least that large, or as large as it is.
std::optional<Picture> decode_jpeg(std::string_view bytes, std::uint32_t max_edge);
std::optional<Picture> decode_png(std::string_view bytes);
std::optional<Picture> decode_webp(std::string_view bytes, std::uint32_t max_edge);
// The first frame.
std::optional<Picture> decode_gif(std::string_view bytes);

// By averaging areas; never larger than it was.
Picture shrink(const Picture& picture, std::uint32_t max_edge);
// As EXIF numbers it, 1 to 8; anything else changes nothing.
Picture turn(Picture picture, int orientation);

std::string encode_jpeg(const Picture& picture);
std::string encode_png(const Picture& picture);

}  // namespace gateleg::objects::internal

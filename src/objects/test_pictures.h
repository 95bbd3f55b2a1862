// For tests: pictures of every kind, made on the spot.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <webp/encode.h>

#include "objects/internal/picture.h"

namespace gateleg::objects {

// Each pixel another colour, so that nothing compresses to nothing.
inline internal::Picture make_picture(
    std::uint32_t width, std::uint32_t height, std::uint8_t alpha = 0xFF
) {
    internal::Picture picture{width, height, {}};
    picture.pixels.reserve(std::size_t{width} * height * 4);
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            picture.pixels.push_back(static_cast<std::uint8_t>(x));
            picture.pixels.push_back(static_cast<std::uint8_t>(y));
            picture.pixels.push_back(static_cast<std::uint8_t>(x ^ y));
            picture.pixels.push_back(alpha);
        }
    }
    return picture;
}

inline std::string make_jpeg(std::uint32_t width, std::uint32_t height) {
    return internal::encode_jpeg(make_picture(width, height));
}

inline std::string make_png(std::uint32_t width, std::uint32_t height, std::uint8_t alpha = 0xFF) {
    return internal::encode_png(make_picture(width, height, alpha));
}

inline std::string make_webp(int width, int height, bool lossless) {
    const auto picture =
        make_picture(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height));
    std::uint8_t* bytes = nullptr;
    const auto size =
        lossless ? WebPEncodeLosslessRGBA(picture.pixels.data(), width, height, width * 4, &bytes)
                 : WebPEncodeRGBA(picture.pixels.data(), width, height, width * 4, 80, &bytes);
    std::string out(reinterpret_cast<const char*>(bytes), size);
    WebPFree(bytes);
    return out;
}

inline std::string little16(std::uint32_t value) {
    return {static_cast<char>(value & 0xFF), static_cast<char>(value >> 8)};
}

inline std::string big32(std::uint32_t value) {
    return {
        static_cast<char>(value >> 24),
        static_cast<char>(value >> 16),
        static_cast<char>(value >> 8),
        static_cast<char>(value)};
}

// Without compression: a code is a byte, and the table is cleared before codes get longer.
inline std::string make_gif(std::uint32_t width, std::uint32_t height, int frames = 1) {
    std::string gif = "GIF89a" + little16(width) + little16(height);
    gif += "\xF6";  // a palette of 128 colours
    gif += std::string(2, '\0');
    for (int i = 0; i < 128; ++i) {
        gif += std::string(3, static_cast<char>(i * 2));
    }
    std::string codes;
    for (std::uint32_t i = 0; i < width * height; ++i) {
        if (i % 100 == 0) {
            codes += '\x80';
        }
        codes += static_cast<char>(i % 128);
    }
    codes += '\x81';
    for (int frame = 0; frame < frames; ++frame) {
        gif += "," + std::string(4, '\0') + little16(width) + little16(height);
        gif += std::string(1, '\0') + '\x07';
        for (std::size_t at = 0; at < codes.size(); at += 255) {
            const auto block = codes.substr(at, 255);
            gif += static_cast<char>(block.size());
            gif += block;
        }
        gif += '\0';
    }
    return gif + ";";
}

}  // namespace gateleg::objects

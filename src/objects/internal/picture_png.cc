#include <cstdlib>
#include <memory>

#include <spng.h>

#include "objects/internal/picture.h"

namespace gateleg::objects::internal {

namespace {

constexpr std::uint32_t kMaxEdge = 100'000;
constexpr std::size_t kMaxChunkBytes = std::size_t{4} << 20;

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

}  // namespace

std::optional<Picture> decode_png(std::string_view bytes) {
    const Context context(spng_ctx_new(0), spng_ctx_free);
    spng_ihdr header{};
    std::size_t size = 0;
    if (!context || spng_set_image_limits(context.get(), kMaxEdge, kMaxEdge) != 0 ||
        spng_set_chunk_limits(context.get(), kMaxChunkBytes, kMaxChunkBytes) != 0 ||
        spng_set_png_buffer(context.get(), bytes.data(), bytes.size()) != 0 ||
        spng_get_ihdr(context.get(), &header) != 0 ||
        spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size) != 0) {
        return std::nullopt;
    }
    Picture picture;
    picture.width = header.width;
    picture.height = header.height;
    if (size != std::size_t{header.width} * header.height * 4) {
        return std::nullopt;
    }
    picture.pixels.resize(size);
    if (spng_decode_image(
            context.get(), picture.pixels.data(), size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS
        ) != 0) {
        return std::nullopt;
    }
    return picture;
}

std::string encode_png(const Picture& picture) {
    const Context context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
    spng_ihdr header{};
    header.width = picture.width;
    header.height = picture.height;
    header.bit_depth = 8;
    header.color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
    if (!context || spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1) != 0 ||
        spng_set_ihdr(context.get(), &header) != 0 ||
        spng_encode_image(
            context.get(),
            picture.pixels.data(),
            picture.pixels.size(),
            SPNG_FMT_PNG,
            SPNG_ENCODE_FINALIZE
        ) != 0) {
        return {};
    }
    std::size_t size = 0;
    int error = 0;
    const std::unique_ptr<void, decltype(&std::free)> buffer(
        spng_get_png_buffer(context.get(), &size, &error), std::free
    );
    return buffer ? std::string(static_cast<const char*>(buffer.get()), size) : std::string();
}

}  // namespace gateleg::objects::internal

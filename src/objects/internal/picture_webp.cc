#include <algorithm>

#include <webp/decode.h>
#include <webp/demux.h>

#include "objects/internal/picture.h"

namespace gateleg::objects::internal {

namespace {

std::optional<Picture> decode_still(
    const std::uint8_t* bytes, std::size_t size, std::uint32_t max_edge
) {
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0 ||
        WebPGetFeatures(bytes, size, &config.input) != VP8_STATUS_OK || config.input.width <= 0 ||
        config.input.height <= 0) {
        return std::nullopt;
    }
    Picture picture;
    picture.width = static_cast<std::uint32_t>(config.input.width);
    picture.height = static_cast<std::uint32_t>(config.input.height);
    const auto edge = std::max(picture.width, picture.height);
    // Twice the size is left for shrink(), which does it better.
    if (edge > 2 * std::uint64_t{max_edge}) {
        const auto scaled = [&](std::uint32_t length) {
            const auto small = std::uint64_t{length} * 2 * max_edge / edge;
            return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, small));
        };
        picture.width = scaled(picture.width);
        picture.height = scaled(picture.height);
        config.options.use_scaling = 1;
        config.options.scaled_width = static_cast<int>(picture.width);
        config.options.scaled_height = static_cast<int>(picture.height);
    }
    picture.pixels.resize(std::size_t{picture.width} * picture.height * 4);
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = picture.pixels.data();
    config.output.u.RGBA.stride = static_cast<int>(picture.width * 4);
    config.output.u.RGBA.size = picture.pixels.size();
    const auto status = WebPDecode(bytes, size, &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ? std::optional(std::move(picture)) : std::nullopt;
}

}  // namespace

std::optional<Picture> decode_webp(std::string_view bytes, std::uint32_t max_edge) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) {
        return std::nullopt;
    }
    if (features.has_animation == 0) {
        return decode_still(data, bytes.size(), max_edge);
    }
    const WebPData whole = {data, bytes.size()};
    auto* demuxer = WebPDemux(&whole);
    if (demuxer == nullptr) {
        return std::nullopt;
    }
    std::optional<Picture> picture;
    WebPIterator frame;
    if (WebPDemuxGetFrame(demuxer, 1, &frame) != 0) {
        picture = decode_still(frame.fragment.bytes, frame.fragment.size, max_edge);
        WebPDemuxReleaseIterator(&frame);
    }
    WebPDemuxDelete(demuxer);
    return picture;
}

}  // namespace gateleg::objects::internal

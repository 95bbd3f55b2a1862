// How large an image may be before anything here decodes it.

#pragma once

#include <cstdint>

namespace gateleg::objects {

struct ImageLimits {
    std::uint64_t max_bytes = std::uint64_t{32} << 20;
    std::uint64_t max_pixels = 50'000'000;  // of one frame
    std::uint32_t max_edge = 30'000;
    std::uint32_t max_frames = 1000;
};

}  // namespace gateleg::objects

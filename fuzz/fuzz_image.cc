// Any bytes as an upload: what they are, and the one decoder that is our own.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "objects/internal/picture.h"
#include "objects/sniff.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gateleg::objects;  // NOLINT: one function
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto what = sniff(bytes);
    constexpr std::uint64_t kMaxPixels = 1 << 20;
    if (what && what->kind == MediaKind::kGif &&
        std::uint64_t{what->width} * what->height <= kMaxPixels) {
        (void)internal::decode_gif(bytes);
    }
    return 0;
}

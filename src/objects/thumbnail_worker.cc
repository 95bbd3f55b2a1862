#include <array>
#include <cerrno>
#include <cstdint>
#include <new>
#include <optional>
#include <string>

#include <unistd.h>

#include "objects/internal/lock_in.h"
#include "objects/internal/picture.h"
#include "objects/sniff.h"
#include "objects/thumbnail.h"

namespace gateleg::objects {

namespace {

std::string read_input() {
    std::string out;
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return out;
        }
        out.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

bool write_output(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto done = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (done < 0 && errno != EINTR) {
            return false;
        }
        bytes.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
    }
    return true;
}

std::optional<internal::Picture> decode(std::string_view image, std::uint32_t max_edge) {
    switch (sniff_kind(image)) {
        case MediaKind::kJpeg:
            return internal::decode_jpeg(image, max_edge);
        case MediaKind::kPng:
            return internal::decode_png(image);
        case MediaKind::kWebp:
            return internal::decode_webp(image, max_edge);
        case MediaKind::kGif:
            return internal::decode_gif(image);
        default:
            return std::nullopt;
    }
}

}  // namespace

int thumbnail_worker_main(
    std::uint32_t max_edge, std::uint64_t max_memory_bytes, std::uint64_t max_seconds
) {
    internal::lock_in(max_memory_bytes, max_seconds);
    try {
        const auto image = read_input();
        const auto picture = decode(image, max_edge);
        if (!picture) {
            return 1;
        }
        const auto small = internal::shrink(*picture, max_edge);
        const auto out =
            small.is_opaque() ? internal::encode_jpeg(small) : internal::encode_png(small);
        return !out.empty() && write_output(out) ? 0 : 1;
    } catch (const std::bad_alloc&) {
        return 1;
    }
}

}  // namespace gateleg::objects

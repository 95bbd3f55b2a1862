#include "objects/internal/image_headers.h"

#include <algorithm>

namespace gateleg::objects::internal {

namespace {

constexpr std::size_t kWindowBytes = std::size_t{16} << 10;
// More segments, chunks or blocks than this, and it is no picture that anyone made.
constexpr int kMaxSegments = 10'000;
constexpr int kMaxGifBlocks = 400'000;  // 100 MB of full ones
constexpr std::uint32_t kMaxFramesCounted = 10'000;
constexpr int kMaxWebpChunks = 20'000;

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return static_cast<unsigned char>(bytes[index]);
}

std::uint32_t big16(std::string_view bytes, std::size_t index) {
    return byte_at(bytes, index) << 8 | byte_at(bytes, index + 1);
}

std::uint32_t big32(std::string_view bytes, std::size_t index) {
    return big16(bytes, index) << 16 | big16(bytes, index + 2);
}

std::uint32_t little16(std::string_view bytes, std::size_t index) {
    return byte_at(bytes, index) | byte_at(bytes, index + 1) << 8;
}

std::uint32_t little24(std::string_view bytes, std::size_t index) {
    return little16(bytes, index) | byte_at(bytes, index + 2) << 16;
}

std::uint32_t little32(std::string_view bytes, std::size_t index) {
    return little16(bytes, index) | little16(bytes, index + 2) << 16;
}

// Markers until the frame header, which is the first to say how large the picture is.
std::optional<Sniffed> read_jpeg(ByteWindow& bytes) {
    std::uint64_t offset = 2;
    for (int segment = 0; segment < kMaxSegments; ++segment) {
        const auto head = bytes.at(offset, 4);
        if (!head || byte_at(*head, 0) != 0xFF) {
            return std::nullopt;
        }
        const auto marker = byte_at(*head, 1);
        if (marker == 0xFF) {  // fill byte
            ++offset;
            continue;
        }
        if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7)) {  // without a length
            offset += 2;
            continue;
        }
        const bool is_frame =
            marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        const auto length = big16(*head, 2);
        if (length < 2 || marker == 0xD9 || marker == 0xDA) {
            return std::nullopt;
        }
        if (is_frame) {
            const auto frame = bytes.at(offset + 4, 5);
            if (!frame) {
                return std::nullopt;
            }
            return Sniffed{MediaKind::kJpeg, big16(*frame, 3), big16(*frame, 1), 1};
        }
        offset += 2 + length;
    }
    return std::nullopt;
}

std::optional<Sniffed> read_png(ByteWindow& bytes) {
    const auto header = bytes.at(8, 16);
    if (!header || header->substr(4, 4) != "IHDR" || big32(*header, 0) != 13) {
        return std::nullopt;
    }
    Sniffed what{MediaKind::kPng, big32(*header, 8), big32(*header, 12), 1};
    constexpr std::uint32_t kMaxPngNumber = 0x7FFFFFFF;
    if (what.width > kMaxPngNumber || what.height > kMaxPngNumber) {
        return std::nullopt;
    }
    // An animation says so before the first data.
    std::uint64_t offset = 8 + 12 + 13;
    for (int chunk = 0; chunk < kMaxSegments; ++chunk) {
        const auto head = bytes.at(offset, 8);
        if (!head) {
            return std::nullopt;
        }
        const auto length = big32(*head, 0);
        const auto type = head->substr(4, 4);
        if (type == "IDAT") {
            return what;
        }
        if (type == "IEND" || length > kMaxPngNumber) {
            return std::nullopt;
        }
        if (type == "acTL") {
            const auto control = bytes.at(offset + 8, 4);
            if (!control) {
                return std::nullopt;
            }
            what.frames = std::max(1U, big32(*control, 0));
        }
        offset += 12 + std::uint64_t{length};
    }
    return std::nullopt;
}

std::uint32_t count_webp_frames(ByteWindow& bytes, std::uint64_t offset) {
    std::uint32_t frames = 0;
    for (int chunk = 0; chunk < kMaxWebpChunks && frames < kMaxFramesCounted; ++chunk) {
        const auto head = bytes.at(offset, 8);
        if (!head) {
            break;
        }
        frames += head->substr(0, 4) == "ANMF" ? 1 : 0;
        const auto length = std::uint64_t{little32(*head, 4)};
        offset += 8 + length + (length & 1);
    }
    return std::max(1U, frames);
}

std::optional<Sniffed> read_webp(ByteWindow& bytes) {
    const auto head = bytes.at(12, 18);
    if (!head) {
        return std::nullopt;
    }
    const auto type = head->substr(0, 4);
    Sniffed what{MediaKind::kWebp, 0, 0, 1};
    if (type == "VP8 ") {
        if (byte_at(*head, 11) != 0x9D || byte_at(*head, 12) != 0x01 ||
            byte_at(*head, 13) != 0x2A) {
            return std::nullopt;
        }
        what.width = little16(*head, 14) & 0x3FFF;
        what.height = little16(*head, 16) & 0x3FFF;
        return what;
    }
    if (type == "VP8L") {
        if (byte_at(*head, 8) != 0x2F) {
            return std::nullopt;
        }
        const auto bits = little32(*head, 9);
        what.width = (bits & 0x3FFF) + 1;
        what.height = (bits >> 14 & 0x3FFF) + 1;
        return what;
    }
    if (type == "VP8X") {
        constexpr std::uint32_t kAnimated = 0x02;
        const bool animated = (byte_at(*head, 8) & kAnimated) != 0;
        what.width = little24(*head, 12) + 1;
        what.height = little24(*head, 15) + 1;
        what.frames = animated ? count_webp_frames(bytes, 30) : 1;
        return what;
    }
    return std::nullopt;
}

std::uint64_t color_table_bytes(std::uint32_t flags) {
    return (flags & 0x80) != 0 ? std::uint64_t{3} << ((flags & 7) + 1) : 0;
}

std::optional<Sniffed> read_gif(ByteWindow& bytes) {
    const auto screen = bytes.at(6, 7);
    if (!screen) {
        return std::nullopt;
    }
    Sniffed what{MediaKind::kGif, little16(*screen, 0), little16(*screen, 2), 0};
    auto offset = 13 + color_table_bytes(byte_at(*screen, 4));
    const auto skip_blocks = [&](int& left) {
        for (; left > 0; --left) {
            const auto size = bytes.at(offset, 1);
            if (!size) {
                return false;
            }
            offset += 1 + byte_at(*size, 0);
            if (byte_at(*size, 0) == 0) {
                return true;
            }
        }
        return false;
    };
    for (int left = kMaxGifBlocks; left > 0 && what.frames < kMaxFramesCounted; --left) {
        const auto kind = bytes.at(offset, 1);
        if (!kind || kind->front() == ';') {
            break;
        }
        if (kind->front() == '!') {
            offset += 2;
        } else if (kind->front() == ',') {
            const auto frame = bytes.at(offset + 1, 9);
            if (!frame) {
                break;
            }
            // Frames may reach beyond the screen; what decodes them must have the room.
            what.width = std::max(what.width, little16(*frame, 0) + little16(*frame, 4));
            what.height = std::max(what.height, little16(*frame, 2) + little16(*frame, 6));
            ++what.frames;
            offset += 10 + color_table_bytes(byte_at(*frame, 8)) + 1;
        } else {
            break;
        }
        if (!skip_blocks(left)) {
            break;
        }
    }
    return what.frames > 0 ? std::optional(what) : std::nullopt;
}

}  // namespace

std::optional<std::string_view> ByteWindow::at(std::uint64_t offset, std::size_t count) {
    if (!status_ || offset > size_ || count > size_ - offset) {
        return std::nullopt;
    }
    if (offset < start_ || offset + count > start_ + buffer_.size()) {
        buffer_.resize(kWindowBytes);
        auto got = read_(offset, buffer_.data(), buffer_.size());
        if (!got) {
            status_ = std::move(got).error();
            return std::nullopt;
        }
        buffer_.resize(*got);
        start_ = offset;
        if (count > buffer_.size()) {
            return std::nullopt;
        }
    }
    return std::string_view(buffer_).substr(offset - start_, count);
}

std::optional<Sniffed> read_image_header(MediaKind kind, ByteWindow& bytes) {
    switch (kind) {
        case MediaKind::kJpeg:
            return read_jpeg(bytes);
        case MediaKind::kPng:
            return read_png(bytes);
        case MediaKind::kWebp:
            return read_webp(bytes);
        case MediaKind::kGif:
            return read_gif(bytes);
        default:
            return std::nullopt;
    }
}

}  // namespace gateleg::objects::internal

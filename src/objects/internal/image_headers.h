// Sizes of images from their headers. Every loop here has a bound, and nothing is decoded.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objects/sniff.h"

namespace gateleg::objects::internal {

// A body seen through a small window that moves. One thread at a time; the reader outlives it.
class ByteWindow {
public:
    ByteWindow(std::uint64_t size, const ReadAt& read) : size_(size), read_(read) {}

    std::uint64_t size() const { return size_; }
    // `count` bytes at `offset`, good until the next call; nothing past the end or after an error.
    // `count` is at most 64.
    std::optional<std::string_view> at(std::uint64_t offset, std::size_t count);
    Result<void> status() const { return status_; }

private:
    const std::uint64_t size_;
    const ReadAt& read_;
    std::string buffer_;
    std::uint64_t start_ = 0;
    Result<void> status_;
};

// Nothing if the header is cut off, or says what cannot be.
std::optional<Sniffed> read_image_header(MediaKind kind, ByteWindow& bytes);

}  // namespace gateleg::objects::internal

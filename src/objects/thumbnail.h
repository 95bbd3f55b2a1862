// Small pictures from untrusted large ones, made in a process that can do nothing else.
//
// The parent sniffs the image and checks its limits, then starts its own program again with a
// hidden subcommand, the image on descriptor 0 and the result on descriptor 1. The child has limits
// on memory, time and files, and neither network nor further system calls that it does not need.

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/image_limits.h"
#include "objects/sniff.h"

namespace gateleg::objects {

struct ThumbnailOptions {
    // Program and first arguments of the worker; thumbnail_worker_main() is what it must call.
    // Longest edge, memory in bytes and seconds follow.
    std::vector<std::string> command = {"/proc/self/exe", "thumbnail-worker"};
    ImageLimits limits;
    std::uint64_t max_memory_bytes = std::uint64_t{1} << 30;
    std::uint64_t max_output_bytes = std::uint64_t{8} << 20;
    std::chrono::seconds deadline{20};
    int at_once = 2;
};

struct Thumbnail {
    std::string bytes;
    MediaKind kind = MediaKind::kJpeg;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
};

// Thread-safe; blocks until the worker is done, and longer while others are at work.
class ThumbnailMaker {
public:
    explicit ThumbnailMaker(ThumbnailOptions options = {});

    const ImageLimits& limits() const { return options_.limits; }
    // kNotAnImage if it cannot be decoded, or the worker did not survive it; kImageTooLarge.
    Result<Thumbnail> make(std::string_view image, std::uint32_t max_edge) const;

private:
    const ThumbnailOptions options_;
    mutable std::counting_semaphore<> slots_;
};

// The worker: reads an image from descriptor 0, writes the thumbnail to descriptor 1. Locks itself
// in before the first byte is read, so nothing but _exit(2) with its result may follow. The result
// is 0, or 1 if it is no image. The arguments are those that follow the command.
int thumbnail_worker_main(
    std::uint32_t max_edge, std::uint64_t max_memory_bytes, std::uint64_t max_seconds
);

}  // namespace gateleg::objects

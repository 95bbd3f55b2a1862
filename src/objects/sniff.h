// What a body is, by its own bytes; declared types and file names are not asked.
//
// Nothing is decoded: sizes of images are read from their headers, so that a bomb costs no more
// than an honest picture.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objects/image_limits.h"

namespace gateleg::objects {

enum class MediaKind : std::uint8_t {
    kUnknown,
    kJpeg,
    kPng,
    kWebp,
    kGif,
    kAvif,
    kSvg,
    kHtml,
    kXml,
    kPdf,
    kMp4,
    kWebm,
    kZip,
    kText,
};

struct Sniffed {
    MediaKind kind = MediaKind::kUnknown;
    // Of one frame; 0 if it is not an image whose header we read (JPEG, PNG, WebP, GIF).
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t frames = 0;  // counted up to a bound; 1 for a still picture

    bool operator==(const Sniffed&) const = default;
};

// "image/jpeg"; "application/octet-stream" for kUnknown.
std::string_view media_type(MediaKind kind);
// True for the four kinds whose size we know.
bool is_image(MediaKind kind);
// True for types that a browser would run as code of our origin: HTML, SVG, XML. They are to be
// served as attachments with a sandbox policy. Looks at the declared type, parameters ignored.
bool is_active_content(std::string_view content_type);

// The type by the first bytes alone; 512 are enough.
MediaKind sniff_kind(std::string_view head);

// Reads up to out.size() bytes at an offset; less only at the end.
using ReadAt =
    std::function<Result<std::size_t>(std::uint64_t offset, char* out, std::size_t size)>;

// Type and size of an image in `size` bytes; reads a bounded number of small pieces. An image whose
// header is cut off or contradicts itself is kNotAnImage; anything else has no width or height.
Result<Sniffed> sniff(std::uint64_t size, const ReadAt& read);
Result<Sniffed> sniff(std::string_view bytes);

// kImageTooLarge, saying which limit; nothing for what is no image.
Result<void> check_limits(const Sniffed& what, std::uint64_t bytes, const ImageLimits& limits);

}  // namespace gateleg::objects

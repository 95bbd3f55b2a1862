#include "objects/sniff.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "objects/errors.h"
#include "objects/internal/image_headers.h"

namespace gateleg::objects {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 512;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

// A tag as browsers recognise it: its name, then a space or the end of the tag.
bool is_tag(std::string_view text, std::string_view tag) {
    return text.starts_with(tag) &&
           (text.size() == tag.size() || " \t\r\n\f>/"sv.find(text[tag.size()]) != text.npos);
}

// Kinds of marked-up text. `text` is lower case and starts with its first visible character.
MediaKind markup_kind(std::string_view text) {
    constexpr std::array kHtmlTags = {"<!doctype html"sv,
                                      "<html"sv,
                                      "<head"sv,
                                      "<script"sv,
                                      "<iframe"sv,
                                      "<h1"sv,
                                      "<div"sv,
                                      "<font"sv,
                                      "<table"sv,
                                      "<a"sv,
                                      "<style"sv,
                                      "<title"sv,
                                      "<b"sv,
                                      "<body"sv,
                                      "<br"sv,
                                      "<p"sv,
                                      "<img"sv,
                                      "<meta"sv,
                                      "<link"sv,
                                      "<form"sv};
    const auto holds_svg = text.find("<svg") != std::string_view::npos;
    if (is_tag(text, "<svg") || is_tag(text, "<!doctype svg")) {
        return MediaKind::kSvg;
    }
    for (const auto tag : kHtmlTags) {
        if (is_tag(text, tag)) {
            return MediaKind::kHtml;
        }
    }
    if (text.starts_with("<!--")) {
        return holds_svg ? MediaKind::kSvg : MediaKind::kHtml;
    }
    if (text.starts_with("<?xml")) {
        if (text.find("<html") != std::string_view::npos) {
            return MediaKind::kHtml;
        }
        return holds_svg ? MediaKind::kSvg : MediaKind::kXml;
    }
    return MediaKind::kUnknown;
}

bool is_text(std::string_view head) {
    return !head.empty() && std::none_of(head.begin(), head.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && "\t\n\r\f\x1B"sv.find(c) == std::string_view::npos) || byte == 0x7F;
    });
}

MediaKind box_kind(std::string_view head) {
    if (head.size() < 12 || head.substr(4, 4) != "ftyp"sv) {
        return MediaKind::kUnknown;
    }
    const auto brand = head.substr(8, 4);
    return brand == "avif"sv || brand == "avis"sv ? MediaKind::kAvif : MediaKind::kMp4;
}

}  // namespace

std::string_view media_type(MediaKind kind) {
    switch (kind) {
        case MediaKind::kUnknown:
            return "application/octet-stream";
        case MediaKind::kJpeg:
            return "image/jpeg";
        case MediaKind::kPng:
            return "image/png";
        case MediaKind::kWebp:
            return "image/webp";
        case MediaKind::kGif:
            return "image/gif";
        case MediaKind::kAvif:
            return "image/avif";
        case MediaKind::kSvg:
            return "image/svg+xml";
        case MediaKind::kHtml:
            return "text/html";
        case MediaKind::kXml:
            return "application/xml";
        case MediaKind::kPdf:
            return "application/pdf";
        case MediaKind::kMp4:
            return "video/mp4";
        case MediaKind::kWebm:
            return "video/webm";
        case MediaKind::kZip:
            return "application/zip";
        case MediaKind::kText:
            return "text/plain";
    }
    return "application/octet-stream";
}

bool is_image(MediaKind kind) {
    return kind == MediaKind::kJpeg || kind == MediaKind::kPng || kind == MediaKind::kWebp ||
           kind == MediaKind::kGif;
}

bool is_active_content(std::string_view content_type) {
    auto type = lowered(content_type.substr(0, content_type.find(';')));
    std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
    // A multipart answer may hold a document of any of the other types.
    constexpr std::array kActive = {
        "text/html"sv,
        "text/xml"sv,
        "application/xml"sv,
        "text/xsl"sv,
        "multipart/x-mixed-replace"sv,
        "multipart/related"sv,
        "message/rfc822"sv,
        "application/x-shockwave-flash"sv};
    return type.ends_with("+xml") ||
           std::find(kActive.begin(), kActive.end(), type) != kActive.end();
}

MediaKind sniff_kind(std::string_view head) {
    struct Signature {
        std::string_view bytes;
        MediaKind kind;
    };
    constexpr std::array kSignatures = {
        Signature{"\xFF\xD8\xFF"sv, MediaKind::kJpeg},
        Signature{"\x89PNG\r\n\x1A\n"sv, MediaKind::kPng},
        Signature{"GIF87a"sv, MediaKind::kGif},
        Signature{"GIF89a"sv, MediaKind::kGif},
        Signature{"%PDF-"sv, MediaKind::kPdf},
        Signature{"PK\x03\x04"sv, MediaKind::kZip},
        Signature{"\x1A\x45\xDF\xA3"sv, MediaKind::kWebm},
    };
    head = head.substr(0, kHeadBytes);
    for (const auto& signature : kSignatures) {
        if (head.starts_with(signature.bytes)) {
            return signature.kind;
        }
    }
    if (head.size() >= 12 && head.starts_with("RIFF"sv) && head.substr(8, 4) == "WEBP"sv) {
        return MediaKind::kWebp;
    }
    if (const auto kind = box_kind(head); kind != MediaKind::kUnknown) {
        return kind;
    }
    auto visible = head;
    if (visible.starts_with("\xEF\xBB\xBF"sv)) {
        visible.remove_prefix(3);
    }
    visible.remove_prefix(std::min(visible.find_first_not_of(" \t\r\n\f"sv), visible.size()));
    if (const auto kind = markup_kind(lowered(visible)); kind != MediaKind::kUnknown) {
        return kind;
    }
    return is_text(head) ? MediaKind::kText : MediaKind::kUnknown;
}

Result<Sniffed> sniff(std::uint64_t size, const ReadAt& read) {
    std::array<char, kHeadBytes> head{};
    GATELEG_TRY_ASSIGN(const auto got, read(0, head.data(), head.size()));
    const auto kind = sniff_kind({head.data(), got});
    if (!is_image(kind)) {
        return Sniffed{kind, 0, 0, 0};
    }
    internal::ByteWindow window(size, read);
    auto what = internal::read_image_header(kind, window);
    // A failed read looks like the end of the file to whoever parses it.
    GATELEG_TRY(window.status());
    if (!what || what->width == 0 || what->height == 0) {
        return object_error(
            Reason::kNotAnImage,
            "It starts like " + std::string(media_type(kind)) +
                " but its header is incomplete or wrong."
        );
    }
    return *what;
}

Result<Sniffed> sniff(std::string_view bytes) {
    return sniff(
        bytes.size(),
        [bytes](std::uint64_t offset, char* out, std::size_t size) -> Result<std::size_t> {
            if (offset >= bytes.size()) {
                return std::size_t{0};
            }
            const auto piece = bytes.substr(offset, size);
            std::memcpy(out, piece.data(), piece.size());
            return piece.size();
        }
    );
}

Result<void> check_limits(const Sniffed& what, std::uint64_t bytes, const ImageLimits& limits) {
    if (!is_image(what.kind)) {
        return {};
    }
    const auto pixels = std::uint64_t{what.width} * what.height;
    if (bytes > limits.max_bytes) {
        return object_error(
            Reason::kImageTooLarge,
            "The image has more than " + std::to_string(limits.max_bytes) + " bytes."
        );
    }
    if (pixels > limits.max_pixels || what.width > limits.max_edge ||
        what.height > limits.max_edge) {
        return object_error(
            Reason::kImageTooLarge,
            "The image has " + std::to_string(what.width) + " x " + std::to_string(what.height) +
                " pixels, which is too many."
        );
    }
    if (what.frames > limits.max_frames) {
        return object_error(
            Reason::kImageTooLarge,
            "The image has more than " + std::to_string(limits.max_frames) + " frames."
        );
    }
    return {};
}

}  // namespace gateleg::objects

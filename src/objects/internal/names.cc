#include "objects/internal/names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "objects/errors.h"

namespace gateleg::objects::internal {

namespace {

constexpr std::size_t kMinBucketName = 3;
constexpr std::size_t kMaxBucketName = 63;
constexpr std::size_t kMaxTagName = 128;
constexpr std::size_t kMaxTagValue = 256;
constexpr std::size_t kMaxHeaderBytes = 8192;

bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool looks_like_address(std::string_view name) {
    return std::count(name.begin(), name.end(), '.') == 3 &&
           name.find_first_not_of("0123456789.") == std::string_view::npos;
}

// How many characters; nothing if it is not UTF-8.
std::optional<std::size_t> count_characters(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || size > text.size() - i) {
            return std::nullopt;
        }
        std::uint32_t point = size == 1 ? lead : lead & (0x7FU >> size);
        for (std::size_t k = 1; k < size; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            if ((byte & 0xC0) != 0x80) {
                return std::nullopt;
            }
            point = point << 6 | (byte & 0x3F);
        }
        const bool overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
        if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
            return std::nullopt;
        }
        i += size;
    }
    return count;
}

bool is_header_text(std::string_view text) {
    return text.size() <= kMaxHeaderBytes && std::none_of(text.begin(), text.end(), [](char c) {
               return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
           });
}

}  // namespace

Result<void> check_bucket_name(std::string_view name) {
    const bool good = name.size() >= kMinBucketName && name.size() <= kMaxBucketName &&
                      is_lower_or_digit(name.front()) && is_lower_or_digit(name.back()) &&
                      std::all_of(
                          name.begin(),
                          name.end(),
                          [](char c) { return is_lower_or_digit(c) || c == '-' || c == '.'; }
                      ) &&
                      name.find("..") == std::string_view::npos && !looks_like_address(name);
    if (!good) {
        return object_error(Reason::kInvalidBucketName);
    }
    return {};
}

Result<void> check_key(std::string_view key) {
    if (key.size() > kMaxKeyBytes) {
        return object_error(Reason::kKeyTooLong);
    }
    if (key.empty() || !count_characters(key)) {
        return object_error(
            Reason::kInvalidArgument,
            key.empty() ? "A key must not be empty." : "A key must be UTF-8."
        );
    }
    return {};
}

Result<void> check_tags(const std::vector<NamedText>& tags) {
    if (tags.size() > kMaxTags) {
        return object_error(Reason::kInvalidTag, "Object tags cannot be greater than 10");
    }
    for (std::size_t i = 0; i < tags.size(); ++i) {
        const auto& [name, value] = tags[i];
        const auto name_size = count_characters(name);
        const auto value_size = count_characters(value);
        if (!name_size || *name_size == 0 || *name_size > kMaxTagName) {
            return object_error(Reason::kInvalidTag, "The TagKey you have provided is invalid");
        }
        if (!value_size || *value_size > kMaxTagValue) {
            return object_error(Reason::kInvalidTag, "The TagValue you have provided is invalid");
        }
        const bool repeated = std::any_of(
            tags.begin(),
            tags.begin() + static_cast<std::ptrdiff_t>(i),
            [&own = name](const auto& earlier) { return earlier.first == own; }
        );
        if (repeated) {
            return object_error(
                Reason::kInvalidTag, "Cannot provide multiple Tags with the same key"
            );
        }
    }
    return {};
}

Result<void> check_metadata(const ObjectMetadata& metadata) {
    for (const auto* text :
         {&metadata.content_type,
          &metadata.content_encoding,
          &metadata.content_disposition,
          &metadata.content_language,
          &metadata.cache_control,
          &metadata.expires}) {
        if (!is_header_text(*text)) {
            return object_error(
                Reason::kInvalidArgument, "A header of the object cannot be sent back."
            );
        }
    }
    std::size_t bytes = 0;
    for (const auto& [name, value] : metadata.user) {
        bytes += name.size() + value.size();
        if (name.empty() || !is_header_text(name) || !is_header_text(value)) {
            return object_error(
                Reason::kInvalidArgument, "User metadata cannot be sent back as a header."
            );
        }
    }
    if (bytes > kMaxUserMetadataBytes) {
        return object_error(Reason::kMetadataTooLarge);
    }
    return {};
}

}  // namespace gateleg::objects::internal

// Buckets and objects as values: what a caller gives to the store, and gets from it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/checksum.h"

namespace gateleg::objects {

inline constexpr std::uint64_t kMaxPutBytes = std::uint64_t{5} << 30;
inline constexpr std::uint64_t kMinPartBytes = std::uint64_t{5} << 20;  // but for the last part
inline constexpr int kMaxParts = 10000;
inline constexpr std::size_t kMaxKeyBytes = 1024;
inline constexpr std::size_t kMaxUserMetadataBytes = 2048;
inline constexpr std::size_t kMaxTags = 10;
inline constexpr std::size_t kMaxListed = 1000;
inline constexpr std::size_t kMaxBuckets = 1000;

using NamedText = std::pair<std::string, std::string>;

struct CorsRule {
    std::string id;
    std::vector<std::string> origins;
    std::vector<std::string> methods;
    std::vector<std::string> headers;
    std::vector<std::string> exposed_headers;
    std::optional<std::int64_t> max_age_seconds;

    bool operator==(const CorsRule&) const = default;
};

struct BucketInfo {
    std::string name;
    std::int64_t created_millis = 0;
};

// The headers that are kept with an object and given back; empty ones are not sent.
struct ObjectMetadata {
    std::string content_type;
    std::string content_encoding;
    std::string content_disposition;
    std::string content_language;
    std::string cache_control;
    std::string expires;
    std::vector<NamedText> user;  // without "x-amz-meta-", names in lower case

    bool operator==(const ObjectMetadata&) const = default;
};

struct ObjectInfo {
    std::string key;
    std::uint64_t size = 0;
    std::string etag;  // without quotes
    std::int64_t modified_millis = 0;
    ObjectMetadata metadata;
    std::optional<Checksum> checksum;
    std::vector<NamedText> tags;
    int parts = 0;  // 0: it was put in one piece
};

// What a finished write answers.
struct Written {
    std::string etag;
    std::uint64_t size = 0;
    std::int64_t modified_millis = 0;
    std::optional<Checksum> checksum;
};

// What must be so at the moment of the write. ETags without quotes; "*" is any object.
struct WriteCondition {
    std::optional<std::string> if_match;
    std::optional<std::string> if_none_match;
};

// What must be so for a read, as HTTP combines it. Times in whole seconds.
struct ReadCondition {
    std::vector<std::string> if_match;       // any of these; empty: not asked
    std::vector<std::string> if_none_match;  // none of these; empty: not asked
    std::optional<std::int64_t> if_modified_since;
    std::optional<std::int64_t> if_unmodified_since;
};
enum class ReadVerdict : std::uint8_t { kProceed, kNotModified, kPreconditionFailed };
ReadVerdict judge(const ReadCondition& condition, const ObjectInfo& info);

struct ListRequest {
    std::string prefix;
    std::string delimiter;    // empty: none
    std::string start_after;  // V1 calls it marker: a key or a common prefix, itself not listed
    std::string token;        // ListPage::next_token of the page before; goes before start_after
    std::size_t max_keys = kMaxListed;
};

struct ListPage {
    std::vector<ObjectInfo> objects;  // without tags and user metadata
    std::vector<std::string> common_prefixes;
    bool truncated = false;
    std::string next_token;   // for V2; empty unless truncated
    std::string next_marker;  // for V1: the last key or common prefix of this page
};

struct PartInfo {
    int number = 0;
    std::uint64_t size = 0;
    std::string etag;
    std::int64_t modified_millis = 0;
    std::optional<Checksum> checksum;
};

struct MultipartInfo {
    std::string key;
    std::string upload_id;
    std::int64_t created_millis = 0;
    ObjectMetadata metadata;
    std::vector<NamedText> tags;
    std::optional<ChecksumAlgorithm> algorithm;
    ChecksumType checksum_type = ChecksumType::kComposite;
};

// Every n bytes of an object from `offset` on.
struct ByteRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

}  // namespace gateleg::objects

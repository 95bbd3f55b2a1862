// Keys and values in the store's records: the one file that knows their form.
// docs/formats/objects.md describes it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/types.h"

namespace gateleg::objects::internal {

// The name of a body's file: 32 hexadecimal digits.
using BodyName = std::string;

struct Segment {
    BodyName body;
    std::uint64_t size = 0;

    bool operator==(const Segment&) const = default;
};

struct BucketRecord {
    std::int64_t created_millis = 0;
    std::vector<CorsRule> cors;
};

struct ObjectRecord {
    ObjectInfo info;                // its key is not in the value
    std::string upload_id;          // of the multipart upload that made it, or empty
    std::vector<Segment> segments;  // one, or one a part
};

struct UploadRecord {
    MultipartInfo info;  // its key and upload id are not in the value
};

struct PartRecord {
    Segment segment;
    std::string md5;  // raw
    std::int64_t modified_millis = 0;
    std::optional<Checksum> checksum;
};

// Keys. Each kind is a range of its own, in the order of what follows its first byte.
std::string bucket_key(std::string_view bucket);
std::string object_key(std::string_view bucket, std::string_view key);
std::string upload_key(std::string_view bucket, std::string_view key, std::string_view upload_id);
// Before the uploads of this key, and after all of them.
std::string uploads_before(std::string_view bucket, std::string_view key);
std::string uploads_after(std::string_view bucket, std::string_view key);
// Before the uploads of every key that starts with this text.
std::string uploads_prefix(std::string_view bucket, std::string_view key_prefix);
std::string part_key(std::string_view upload_id, int number);
std::string body_key(std::string_view body);

struct BucketAndKey {
    std::string_view bucket;
    std::string_view key;
};
struct BucketKeyUpload {
    std::string bucket;
    std::string key;
    std::string upload_id;
};
// Nothing if `record` is not a key of this kind.
std::optional<std::string_view> parse_bucket_key(std::string_view record);
std::optional<BucketAndKey> parse_object_key(std::string_view record);
std::optional<BucketKeyUpload> parse_upload_key(std::string_view record);
std::optional<int> parse_part_key(std::string_view record);
std::optional<std::string_view> parse_body_key(std::string_view record);

struct KeyRange {
    std::string begin;
    std::string end;
};
KeyRange all_buckets();
KeyRange all_objects();
KeyRange all_uploads();
KeyRange all_parts();
KeyRange all_bodies();
KeyRange objects_of(std::string_view bucket);
KeyRange uploads_of(std::string_view bucket);
KeyRange parts_of(std::string_view upload_id);

// The first text after every text that starts with `prefix`; empty if there is none.
std::string after_prefix(std::string prefix);

// Values. Nothing if the bytes are not a record of this kind.
std::string encode(const BucketRecord& record);
std::string encode(const ObjectRecord& record);
std::string encode(const UploadRecord& record);
std::string encode(const PartRecord& record);
std::optional<BucketRecord> decode_bucket(std::string_view bytes);
std::optional<ObjectRecord> decode_object(std::string_view bytes);
// What a list needs: without headers, tags and segments.
std::optional<ObjectInfo> decode_summary(std::string_view bytes);
std::optional<UploadRecord> decode_upload(std::string_view bytes);
std::optional<PartRecord> decode_part(std::string_view bytes);

}  // namespace gateleg::objects::internal

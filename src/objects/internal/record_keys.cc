#include "objects/internal/records.h"

namespace gateleg::objects::internal {

namespace {

// Written to disk: append only, never renumber.
constexpr char kBucket = 0x01;  // bucket
constexpr char kObject = 0x02;  // bucket 00 key
constexpr char kUpload = 0x03;  // bucket 00 key(00 as 00 FF) 00 01 upload id
constexpr char kPart = 0x04;    // upload id, number in two bytes
constexpr char kBody = 0x05;    // body

constexpr std::size_t kUploadIdSize = 32;
constexpr std::string_view kKeyEnd("\x00\x01", 2);
constexpr std::string_view kAfterKeyEnd("\x00\x02", 2);
constexpr std::string_view kEscapedNul("\x00\xFF", 2);

// No name of a bucket has a zero byte, so that it ends the name and sorts before all else.
std::string start(char kind, std::string_view bucket) {
    std::string out(1, kind);
    out += bucket;
    out += '\0';
    return out;
}

void append_escaped(std::string& out, std::string_view key) {
    for (const char c : key) {
        if (c == '\0') {
            out += kEscapedNul;
        } else {
            out += c;
        }
    }
}

KeyRange all_of(char kind) {
    return {std::string(1, kind), std::string(1, static_cast<char>(kind + 1))};
}

KeyRange under(std::string prefix) {
    auto end = after_prefix(prefix);
    return {std::move(prefix), std::move(end)};
}

bool is_kind(std::string_view record, char kind) {
    return !record.empty() && record.front() == kind;
}

}  // namespace

std::string bucket_key(std::string_view bucket) {
    std::string out(1, kBucket);
    out += bucket;
    return out;
}

std::string object_key(std::string_view bucket, std::string_view key) {
    auto out = start(kObject, bucket);
    out += key;
    return out;
}

std::string uploads_prefix(std::string_view bucket, std::string_view key_prefix) {
    auto out = start(kUpload, bucket);
    append_escaped(out, key_prefix);
    return out;
}

std::string uploads_before(std::string_view bucket, std::string_view key) {
    return uploads_prefix(bucket, key).append(kKeyEnd);
}

std::string uploads_after(std::string_view bucket, std::string_view key) {
    return uploads_prefix(bucket, key).append(kAfterKeyEnd);
}

std::string upload_key(std::string_view bucket, std::string_view key, std::string_view upload_id) {
    return uploads_before(bucket, key).append(upload_id);
}

std::string part_key(std::string_view upload_id, int number) {
    std::string out(1, kPart);
    out += upload_id;
    out += static_cast<char>(number >> 8);
    out += static_cast<char>(number & 0xFF);
    return out;
}

std::string body_key(std::string_view body) {
    std::string out(1, kBody);
    out += body;
    return out;
}

std::optional<std::string_view> parse_bucket_key(std::string_view record) {
    return is_kind(record, kBucket) ? std::optional(record.substr(1)) : std::nullopt;
}

std::optional<BucketAndKey> parse_object_key(std::string_view record) {
    const auto end = record.find('\0');
    if (!is_kind(record, kObject) || end == std::string_view::npos) {
        return std::nullopt;
    }
    return BucketAndKey{record.substr(1, end - 1), record.substr(end + 1)};
}

std::optional<BucketKeyUpload> parse_upload_key(std::string_view record) {
    const auto end = record.find('\0');
    if (!is_kind(record, kUpload) || end == std::string_view::npos ||
        record.size() < end + 1 + kKeyEnd.size() + kUploadIdSize) {
        return std::nullopt;
    }
    BucketKeyUpload parsed;
    parsed.bucket = record.substr(1, end - 1);
    parsed.upload_id = record.substr(record.size() - kUploadIdSize);
    record.remove_suffix(kUploadIdSize + kKeyEnd.size());
    for (std::size_t i = end + 1; i < record.size(); ++i) {
        parsed.key += record[i];
        if (record[i] == '\0') {
            ++i;  // the FF that escapes it
        }
    }
    return parsed;
}

std::optional<int> parse_part_key(std::string_view record) {
    if (!is_kind(record, kPart) || record.size() != 1 + kUploadIdSize + 2) {
        return std::nullopt;
    }
    const auto high = static_cast<unsigned char>(record[record.size() - 2]);
    return high << 8 | static_cast<unsigned char>(record.back());
}

std::optional<std::string_view> parse_body_key(std::string_view record) {
    return is_kind(record, kBody) ? std::optional(record.substr(1)) : std::nullopt;
}

KeyRange all_buckets() {
    return all_of(kBucket);
}

KeyRange all_objects() {
    return all_of(kObject);
}

KeyRange all_uploads() {
    return all_of(kUpload);
}

KeyRange all_parts() {
    return all_of(kPart);
}

KeyRange all_bodies() {
    return all_of(kBody);
}

KeyRange objects_of(std::string_view bucket) {
    return under(start(kObject, bucket));
}

KeyRange uploads_of(std::string_view bucket) {
    return under(start(kUpload, bucket));
}

KeyRange parts_of(std::string_view upload_id) {
    std::string prefix(1, kPart);
    prefix += upload_id;
    return under(std::move(prefix));
}

std::string after_prefix(std::string prefix) {
    while (!prefix.empty() && prefix.back() == '\xFF') {
        prefix.pop_back();
    }
    if (!prefix.empty()) {
        prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
    }
    return prefix;
}

}  // namespace gateleg::objects::internal

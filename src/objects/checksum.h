// The checksums that S3 clients send and ask for, computed as the bytes pass by.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateleg::objects {

// Written to disk: append only, never renumber.
enum class ChecksumAlgorithm : std::uint8_t { kCrc32, kCrc32c, kCrc64Nvme, kSha1, kSha256 };
inline constexpr std::array kChecksumAlgorithms = {
    ChecksumAlgorithm::kCrc32,
    ChecksumAlgorithm::kCrc32c,
    ChecksumAlgorithm::kCrc64Nvme,
    ChecksumAlgorithm::kSha1,
    ChecksumAlgorithm::kSha256,
};

// Of the whole object, or of its parts' checksums. Written to disk: append only, never renumber.
enum class ChecksumType : std::uint8_t { kFullObject, kComposite };

// "CRC64NVME", as in x-amz-checksum-algorithm; parsing takes any case.
std::string_view to_text(ChecksumAlgorithm algorithm);
std::optional<ChecksumAlgorithm> parse_checksum_algorithm(std::string_view text);
// "FULL_OBJECT" or "COMPOSITE".
std::string_view to_text(ChecksumType type);
std::optional<ChecksumType> parse_checksum_type(std::string_view text);
// "x-amz-checksum-crc64nvme".
std::string_view header_name(ChecksumAlgorithm algorithm);
std::size_t digest_bytes(ChecksumAlgorithm algorithm);

struct Checksum {
    ChecksumAlgorithm algorithm = ChecksumAlgorithm::kCrc32;
    ChecksumType type = ChecksumType::kFullObject;
    std::string value;  // base64; a composite one ends with "-" and the number of parts

    bool operator==(const Checksum&) const = default;
};

// Base64 of exactly as many bytes as the algorithm gives.
bool is_digest_text(ChecksumAlgorithm algorithm, std::string_view text);

// One digest over many pieces. One thread at a time; after finish() it takes no more.
class Digester {
public:
    virtual ~Digester() = default;
    virtual void update(std::string_view bytes) = 0;
    // The raw digest; CRCs with the most significant byte first.
    virtual std::string finish() = 0;
};
std::unique_ptr<Digester> make_digester(ChecksumAlgorithm algorithm);
std::unique_ptr<Digester> make_md5();

// The raw digest of bytes at hand.
std::string digest_of(ChecksumAlgorithm algorithm, std::string_view bytes);
std::string md5_of(std::string_view bytes);

std::string hex_of(std::string_view bytes);

// One part of an object that is put together: the raw digest, and how many bytes it is of.
struct PartDigest {
    std::string digest;
    std::uint64_t size = 0;
};

// The checksum of the whole from those of its parts. Nothing if there is no such kind: a full one
// exists for CRCs only, and for CRC64NVME only a full one.
std::optional<Checksum> combine_checksums(
    ChecksumAlgorithm algorithm, ChecksumType type, std::span<const PartDigest> parts
);

// S3's ETag of an object made of parts: the MD5 of their MD5s, "-", and how many there are.
std::string multipart_etag(std::span<const std::string> md5s);

}  // namespace gateleg::objects

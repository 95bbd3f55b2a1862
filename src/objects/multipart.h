// Requests and answers of uploads in parts.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/checksum.h"
#include "objects/types.h"

namespace gateleg::objects {

struct UploadName {
    std::string bucket;
    std::string key;
    std::string upload_id;
};

struct CreateMultipart {
    ObjectMetadata metadata;
    std::vector<NamedText> tags;
    std::optional<ChecksumAlgorithm> algorithm;
    // Not set: full for CRC64NVME, composite for the others.
    std::optional<ChecksumType> checksum_type;
};

struct CopyPart {
    UploadName upload;
    int number = 0;
    std::string source_bucket;
    std::string source_key;
    ReadCondition source_condition;
    std::optional<ByteRange> range;  // must lie in the source
};

struct CompletePart {
    int number = 0;
    std::string etag;  // without quotes
    std::optional<Checksum> checksum;
};

// Completing the same upload twice with the same parts answers the same twice, as long as the
// object it made is still there.
struct CompleteMultipart {
    UploadName upload;
    std::vector<CompletePart> parts;   // ascending
    std::optional<Checksum> checksum;  // of the whole, if the client knows it
    std::optional<std::uint64_t> size;
    WriteCondition condition;
};

struct PartPage {
    MultipartInfo upload;
    std::vector<PartInfo> parts;
    bool truncated = false;
    int next_number = 0;  // the last one of this page
};

struct ListUploads {
    std::string prefix;
    std::string delimiter;
    std::string key_marker;
    std::string upload_id_marker;  // counts only with a key marker
    std::size_t max_uploads = kMaxListed;
};

struct UploadPage {
    std::vector<MultipartInfo> uploads;
    std::vector<std::string> common_prefixes;
    bool truncated = false;
    std::string next_key_marker;
    std::string next_upload_id_marker;
};

}  // namespace gateleg::objects

// A body on its way in: fed piece by piece, seen by nobody until it is finished.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "objects/checksum.h"
#include "objects/types.h"

namespace gateleg::objects {

namespace internal {
class UploadTarget;
class BodyWriter;
}  // namespace internal

// What is to be computed while the bytes pass by; MD5 always is.
struct UploadOptions {
    // The first one is kept with the object; the others are for checking alone. For a part, the
    // algorithm of its multipart upload is added.
    std::vector<ChecksumAlgorithm> checksums;
    // For FinishUpload::payload_sha256.
    bool payload_sha256 = false;
    std::uint64_t max_bytes = kMaxPutBytes;
    // Set if the client said so: fewer bytes are kIncompleteBody, more kEntityTooLarge.
    std::optional<std::uint64_t> expected_bytes;
};

// What is known when the last byte is there, trailers included. Metadata, tags and condition are
// for objects; a part has none.
struct FinishUpload {
    std::optional<std::string> content_md5;  // base64, as the header has it
    std::vector<Checksum> checksums;         // each of an algorithm named in UploadOptions
    std::optional<Sha256Digest> payload_sha256;
    ObjectMetadata metadata;
    std::vector<NamedText> tags;
    WriteCondition condition;
};

// One thread at a time, any thread; the store outlives it. Every call may block on the disk.
// Memory does not depend on the size of the body. Destroyed unfinished, it leaves nothing behind.
class Upload {
public:
    ~Upload();
    Upload(Upload&&) noexcept;
    Upload& operator=(Upload&&) noexcept;

    // After an error the upload is over: everything else fails in the same way.
    Result<void> append(std::string_view bytes);
    std::uint64_t bytes() const;

    // Checks what was promised, makes the body durable, and then visible in one step. Once only.
    Result<Written> finish(const FinishUpload& finish);
    // Deletes what was written. Nothing happens after finish().
    void abandon();

private:
    friend class ObjectStore;
    Upload(
        std::unique_ptr<internal::BodyWriter> writer, std::unique_ptr<internal::UploadTarget> target
    );

    std::unique_ptr<internal::BodyWriter> writer_;
    std::unique_ptr<internal::UploadTarget> target_;
    std::optional<Error> failed_;
};

}  // namespace gateleg::objects

// A body that is written and digested at once, and where it goes when it is whole.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "objects/checksum.h"
#include "objects/internal/body_files.h"
#include "objects/upload.h"

namespace gateleg::objects::internal {

// A body on the disk that no record names yet.
struct SealedBody {
    Segment segment;
    std::string md5;  // raw
    std::optional<Checksum> checksum;
    InFlight& flight;
};

// One thread at a time.
class BodyWriter {
public:
    BodyWriter(std::unique_ptr<BodyFile> file, UploadOptions options);

    Result<void> append(std::string_view bytes);
    std::uint64_t bytes() const { return file_->size(); }
    // Checks what was promised, then makes the body durable.
    Result<SealedBody> seal(const FinishUpload& finish);

private:
    Result<void> check(const FinishUpload& finish);

    std::unique_ptr<BodyFile> file_;
    const UploadOptions options_;
    std::unique_ptr<Digester> md5_;
    std::vector<std::unique_ptr<Digester>> digesters_;  // as options_.checksums
    std::unique_ptr<Digester> payload_;
    std::string md5_digest_;
    std::vector<std::string> digests_;
};

// What a finished body becomes.
class UploadTarget {
public:
    virtual ~UploadTarget() = default;
    // Before anything is made durable.
    virtual Result<void> check(const FinishUpload& finish) const = 0;
    virtual Result<Written> commit(SealedBody& body, const FinishUpload& finish) = 0;
};

}  // namespace gateleg::objects::internal

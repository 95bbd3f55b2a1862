// What local and remote objects do in the same way, on top of what they do differently.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "objects/objects.h"
#include "objects/presign.h"
#include "objects/thumbnail.h"

namespace gateleg::objects::internal {

// Thread-safe, as Objects is.
class ObjectsBase : public Objects {
public:
    ObjectsBase(
        std::string bucket, Fetch fetch, const ThumbnailMaker& thumbnails, const Clock& clock
    )
        : bucket_(std::move(bucket)),
          fetch_(std::move(fetch)),
          thumbnails_(thumbnails),
          clock_(clock) {}

    const std::string& bucket() const override { return bucket_; }
    Result<Presigned> presign(const Presign& request) const override;
    Result<CopiedIn> copy_in(std::string_view url, std::string_view key, const CopyInLimits& limits)
        override;
    Result<CopiedIn> thumbnail(
        std::string_view key, std::string_view out_key, std::uint32_t max_edge
    ) override;

protected:
    // Adds base URL, path and key to sign with.
    virtual Result<void> address(PresignUrl& url, std::string_view key) const = 0;
    const Clock& clock() const { return clock_; }
    const ThumbnailMaker& thumbnails() const { return thumbnails_; }

private:
    const std::string bucket_;
    const Fetch fetch_;
    const ThumbnailMaker& thumbnails_;
    const Clock& clock_;
};

}  // namespace gateleg::objects::internal

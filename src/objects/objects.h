// The one door through which the systems use objects: one bucket, here or on a remote S3.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "objects/errors.h"
#include "objects/image_limits.h"
#include "objects/sniff.h"
#include "objects/types.h"

namespace gateleg::objects {

class ObjectStore;
class ThumbnailMaker;

struct Presign {
    std::string method = "GET";
    std::string key;
    // If set, the request must carry exactly these.
    std::string content_type;
    std::optional<std::uint64_t> content_length;
    std::int64_t expires_seconds = 600;  // 1 to 604800
};

struct Presigned {
    std::string method;
    std::string url;
    std::vector<NamedText> headers;  // to be sent with it, Host aside
    std::int64_t expires_at_seconds = 0;
};

struct ObjectHead {
    std::uint64_t size = 0;
    std::string content_type;
    std::string etag;
    std::int64_t modified_millis = 0;
};

struct CopyInLimits {
    // Held in memory until it is known what it is.
    std::uint64_t max_bytes = std::uint64_t{32} << 20;
    bool images_only = true;
    ImageLimits image;
    std::int64_t timeout_seconds = 60;
};

struct CopiedIn {
    ObjectHead head;
    Sniffed what;
};

// How a URL is fetched: hands the body to `sink` in pieces and stops at its first error. Whoever
// gives it decides which addresses may be reached. An answer other than 200 is an error.
struct FetchRequest {
    std::string url;
    std::uint64_t max_bytes = 0;
    std::int64_t timeout_seconds = 0;
};
using FetchSink = std::function<Result<void>(std::string_view)>;
using Fetch = std::function<Result<void>(const FetchRequest&, const FetchSink&)>;

// Thread-safe. All but presign() block, on the disk or on the network.
class Objects {
public:
    virtual ~Objects() = default;

    virtual const std::string& bucket() const = 0;
    // By the clock in force, with this server's own key or with the remote store's credentials.
    virtual Result<Presigned> presign(const Presign& request) const = 0;
    // Nothing if there is no such object.
    virtual Result<std::optional<ObjectHead>> head(std::string_view key) const = 0;
    // What the bytes are, whatever their declared type says. kNoSuchKey.
    virtual Result<Sniffed> inspect(std::string_view key) const = 0;
    // Its type is the sniffed one. Nothing is stored that breaks a limit.
    virtual Result<CopiedIn> copy_in(
        std::string_view url, std::string_view key, const CopyInLimits& limits
    ) = 0;
    virtual Result<ObjectHead> put(
        std::string_view key, std::string_view bytes, std::string_view content_type
    ) = 0;
    virtual Result<std::string> get(std::string_view key, std::uint64_t max_bytes) const = 0;
    // Succeeds if there is none.
    virtual Result<void> remove(std::string_view key) = 0;
    // Makes a JPEG (PNG if it has transparency) no edge of which is longer. kNotAnImage,
    // kImageTooLarge.
    virtual Result<CopiedIn> thumbnail(
        std::string_view key, std::string_view out_key, std::uint32_t max_edge
    ) = 0;
};

struct LocalObjectsOptions {
    std::string bucket;  // made if there is none
    std::string region = "us-east-1";
    // "http://127.0.0.1:9000", what clients reach the S3 face by; asked for at each presign().
    std::function<std::string()> base_url;
    Fetch fetch;
};
// Store, maker and clock outlive it. Fails if the bucket cannot be made.
Result<std::unique_ptr<Objects>> make_local_objects(
    LocalObjectsOptions options,
    ObjectStore& store,
    const ThumbnailMaker& thumbnails,
    const Clock& clock
);

}  // namespace gateleg::objects

#include "objects/internal/objects_base.h"

#include <algorithm>
#include <array>

#include "objects/internal/names.h"

namespace gateleg::objects::internal {

namespace {

constexpr std::int64_t kMaxExpirySeconds = 604'800;

}  // namespace

Result<Presigned> ObjectsBase::presign(const Presign& request) const {
    constexpr std::array<std::string_view, 4> kMethods = {"GET", "HEAD", "PUT", "DELETE"};
    GATELEG_TRY(check_key(request.key));
    if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end()) {
        return object_error(Reason::kInvalidArgument, "No URL is signed for this method.");
    }
    if (request.expires_seconds < 1 || request.expires_seconds > kMaxExpirySeconds) {
        return object_error(
            Reason::kInvalidArgument, "A URL is signed for 1 second to 7 days, not longer."
        );
    }
    Presigned signed_url;
    PresignUrl url;
    url.method = request.method;
    url.now_seconds = clock_.now_seconds();
    url.expires_seconds = request.expires_seconds;
    if (request.content_length) {
        url.headers.emplace_back("content-length", std::to_string(*request.content_length));
    }
    if (!request.content_type.empty()) {
        url.headers.emplace_back("content-type", request.content_type);
    }
    GATELEG_TRY(address(url, request.key));
    signed_url.method = request.method;
    signed_url.url = presign_url(url);
    signed_url.headers = url.headers;
    signed_url.expires_at_seconds = url.now_seconds + url.expires_seconds;
    return signed_url;
}

Result<CopiedIn> ObjectsBase::copy_in(
    std::string_view url, std::string_view key, const CopyInLimits& limits
) {
    GATELEG_TRY(check_key(key));
    if (!fetch_) {
        return service_unavailable("Nothing is fetched from here.");
    }
    std::string body;
    const FetchSink sink = [&](std::string_view piece) -> Result<void> {
        if (piece.size() > limits.max_bytes - body.size()) {
            return object_error(Reason::kEntityTooLarge);
        }
        body += piece;
        return {};
    };
    GATELEG_TRY(fetch_({std::string(url), limits.max_bytes, limits.timeout_seconds}, sink));
    CopiedIn copied;
    GATELEG_TRY_ASSIGN(copied.what, sniff(body));
    if (limits.images_only && !is_image(copied.what.kind)) {
        return object_error(Reason::kNotAnImage);
    }
    GATELEG_TRY(check_limits(copied.what, body.size(), limits.image));
    GATELEG_TRY_ASSIGN(copied.head, put(key, body, media_type(copied.what.kind)));
    return copied;
}

Result<CopiedIn> ObjectsBase::thumbnail(
    std::string_view key, std::string_view out_key, std::uint32_t max_edge
) {
    GATELEG_TRY(check_key(out_key));
    GATELEG_TRY_ASSIGN(const auto image, get(key, thumbnails_.limits().max_bytes));
    GATELEG_TRY_ASSIGN(const auto small, thumbnails_.make(image, max_edge));
    CopiedIn made;
    made.what = {small.kind, small.width, small.height, 1};
    GATELEG_TRY_ASSIGN(made.head, put(out_key, small.bytes, media_type(small.kind)));
    return made;
}

}  // namespace gateleg::objects::internal

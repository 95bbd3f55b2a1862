#include "app/object_house.h"

#include <array>
#include <cstdlib>

#include "objects/sample_picture.h"

namespace gateleg::app {
namespace {

// Results of generation: images, and short videos.
constexpr std::uint64_t kMaxCopiedBytes = std::uint64_t{256} << 20;
constexpr std::int64_t kCopySeconds = 120;
constexpr std::int64_t kLinkSeconds = std::int64_t{24} * 60 * 60;
// Pictures of example data: "sample:fox" is drawn here and fetched from nowhere. No provider can
// name one, for its addresses begin with http.
constexpr std::string_view kSample = "sample:";

struct Bucket {
    std::string_view system;
    std::string_view name;
    const char* setting;
};
constexpr std::array<Bucket, 2> kBuckets = {{
    {"figureforge", "figureforge-prod", "GATELEG_FIGUREFORGE_BUCKET"},
    {"gallery", "gallery", "GATELEG_GALLERY_BUCKET"},
}};

objects::ObjectStoreOptions store_options(const Config& config) {
    objects::ObjectStoreOptions options;
    options.directory = config.data / "objects";
    options.in_memory = config.memory;
    options.durability = config.durability;
    options.accept_data_loss = config.accept_data_loss;
    return options;
}

std::string setting(const char* name, std::string_view otherwise) {
    const char* found = std::getenv(name);
    return found != nullptr && *found != '\0' ? std::string(found) : std::string(otherwise);
}

bool serves(const Config& config, std::string_view system) {
    for (const auto& name : config.systems) {
        if (name == system) {
            return true;
        }
    }
    return false;
}

}  // namespace

Result<std::string> SystemObjects::presign_put(
    std::string_view key, std::string_view content_type, std::int64_t seconds
) const {
    GATELEG_TRY_ASSIGN(
        auto made,
        objects_->presign(
            {.method = "PUT",
             .key = std::string(key),
             .content_type = std::string(content_type),
             .expires_seconds = seconds}
        )
    );
    return std::move(made.url);
}

Result<std::string> SystemObjects::presign_get(std::string_view key, std::int64_t seconds) const {
    GATELEG_TRY_ASSIGN(
        auto made, objects_->presign({.key = std::string(key), .expires_seconds = seconds})
    );
    return std::move(made.url);
}

Result<std::optional<systems::StoredObject>> SystemObjects::head(std::string_view key) const {
    GATELEG_TRY_ASSIGN(auto found, objects_->head(key));
    if (!found) {
        return std::optional<systems::StoredObject>();
    }
    // What the bytes are; a declared type is only believed where no image is claimed.
    GATELEG_TRY_ASSIGN(const auto what, objects_->inspect(key));
    const bool known = what.kind != objects::MediaKind::kUnknown;
    const bool claims_image = found->content_type.starts_with("image/");
    return std::optional(systems::StoredObject{
        found->size,
        known || claims_image ? std::string(objects::media_type(what.kind)) : found->content_type});
}

namespace {

jobs::StoredObject describe(std::string_view key, const objects::CopiedIn& object) {
    return {
        .key = std::string(key),
        .size = object.head.size,
        .content_type = object.head.content_type,
        .width = object.what.width,
        .height = object.what.height};
}

}  // namespace

Result<jobs::StoredObject> SystemObjects::copy_in(std::string_view url, std::string_view key) {
    objects::CopyInLimits limits;
    limits.max_bytes = kMaxCopiedBytes;
    limits.images_only = false;
    limits.timeout_seconds = kCopySeconds;
    GATELEG_TRY_ASSIGN(auto copied, objects_->copy_in(url, key, limits));
    return describe(key, copied);
}

Result<std::optional<jobs::StoredObject>> SystemObjects::make_thumbnail(
    std::string_view key, std::string_view out_key, std::uint32_t max_edge
) {
    const auto made = objects_->thumbnail(key, out_key, max_edge);
    if (made) {
        return std::optional(describe(out_key, *made));
    }
    const auto reason = objects::reason_of(made.error());
    if (reason == objects::Reason::kNoSuchKey || reason == objects::Reason::kNotAnImage ||
        reason == objects::Reason::kImageTooLarge) {
        return std::optional<jobs::StoredObject>();
    }
    return made.error();
}

Result<std::string> SystemObjects::make_link(std::string_view key) const {
    return presign_get(key, kLinkSeconds);
}

Result<void> SystemObjects::remove(std::string_view key) {
    return objects_->remove(key);
}

ObjectHouse::ObjectHouse(const Config& config, const Clock& clock, const outbound::Client& client) {
    const auto endpoint = setting("GATELEG_S3_ENDPOINT", "");
    if (config.s3) {
        store_ = std::make_unique<objects::ObjectStore>(store_options(config), clock);
    }
    if (!endpoint.empty() || has_remote_store(config)) {
        remote_ = std::make_unique<RemoteS3>(endpoint, config.region);
    }
    for (const auto& bucket : kBuckets) {
        if (!serves(config, bucket.system) || (!store_ && !remote_)) {
            continue;
        }
        auto made = make_objects(
            setting(bucket.setting, bucket.name), config, clock, fetch_through(client)
        );
        systems_.emplace(bucket.system, std::make_unique<SystemObjects>(std::move(made)));
    }
}

ObjectHouse::~ObjectHouse() = default;

SystemObjects* ObjectHouse::find(std::string_view system) const {
    const auto found = systems_.find(system);
    return found == systems_.end() ? nullptr : found->second.get();
}

objects::Fetch ObjectHouse::fetch_through(const outbound::Client& client) const {
    return [&client](
               const objects::FetchRequest& request, const objects::FetchSink& sink
           ) -> Result<void> {
        if (request.url.starts_with(kSample)) {
            return sink(objects::draw_sample(request.url.substr(kSample.size())));
        }
        outbound::Request call{
            .method = "GET",
            .url = request.url,
            .timeout = std::chrono::seconds(request.timeout_seconds),
            .max_reply_bytes = request.max_bytes};
        Result<void> kept;
        const auto reply = client.download(call, [&](std::string_view piece) {
            kept = sink(piece);
            return kept.has_value();
        });
        GATELEG_TRY(kept);
        if (!reply) {
            return reply.error();
        }
        if (!reply->is_success()) {
            return service_unavailable(
                "The address answered with status " + std::to_string(reply->status)
            );
        }
        return {};
    };
}

std::unique_ptr<objects::Objects> ObjectHouse::make_objects(
    const std::string& bucket, const Config& config, const Clock& clock, objects::Fetch fetch
) {
    if (remote_) {
        return objects::make_remote_objects(
            remote_->options(bucket, std::move(fetch)), thumbnails_, clock
        );
    }
    auto made = objects::make_local_objects(
        {.bucket = bucket,
         .region = config.region,
         .base_url = [this] { return base_url_; },
         .fetch = std::move(fetch)},
        *store_,
        thumbnails_,
        clock
    );
    if (!made) {
        throw ConfigError("bucket " + bucket + ": " + made.error().message);
    }
    return *std::move(made);
}

}  // namespace gateleg::app

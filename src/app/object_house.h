// The objects of a server: its own store, and for each system that keeps objects a bucket, here or
// on a remote S3.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/config.h"
#include "app/remote_s3.h"
#include "base/clock.h"
#include "jobs/object_access.h"
#include "objects/objects.h"
#include "objects/store.h"
#include "objects/thumbnail.h"
#include "outbound/client.h"
#include "systems/object_access.h"

namespace gateleg::app {

// One bucket, as the systems and the deliveries of the outbox see it. Thread-safe.
class SystemObjects final : public systems::ObjectAccess, public jobs::ObjectAccess {
public:
    explicit SystemObjects(std::unique_ptr<objects::Objects> objects)
        : objects_(std::move(objects)) {}

    Result<std::string> presign_put(
        std::string_view key, std::string_view content_type, std::int64_t seconds
    ) const override;
    Result<std::string> presign_get(std::string_view key, std::int64_t seconds) const override;
    Result<std::optional<systems::StoredObject>> head(std::string_view key) const override;
    Result<jobs::StoredObject> copy_in(std::string_view url, std::string_view key) override;
    Result<std::optional<jobs::StoredObject>> make_thumbnail(
        std::string_view key, std::string_view out_key, std::uint32_t max_edge
    ) override;
    Result<std::string> make_link(std::string_view key) const override;
    Result<void> remove(std::string_view key) override;

private:
    std::unique_ptr<objects::Objects> objects_;
};

// Made at start, then read. Clock and client outlive it.
class ObjectHouse {
public:
    // Throws ConfigError, or storage::StoreOpenError.
    ObjectHouse(const Config& config, const Clock& clock, const outbound::Client& client);
    ~ObjectHouse();

    // Null if the S3 API is off.
    objects::ObjectStore* store() const { return store_.get(); }
    // Null if this server keeps no objects for that system.
    SystemObjects* find(std::string_view system) const;

    // Where clients reach the S3 API; known once it listens.
    void set_base_url(std::string url) { base_url_ = std::move(url); }

private:
    objects::Fetch fetch_through(const outbound::Client& client) const;
    std::unique_ptr<objects::Objects> make_objects(
        const std::string& bucket, const Config& config, const Clock& clock, objects::Fetch fetch
    );

    std::unique_ptr<objects::ObjectStore> store_;
    std::unique_ptr<RemoteS3> remote_;
    objects::ThumbnailMaker thumbnails_;
    std::string base_url_;
    std::map<std::string, std::unique_ptr<SystemObjects>, std::less<>> systems_;
};

}  // namespace gateleg::app

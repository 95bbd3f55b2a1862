#include <utility>

#include "objects/internal/objects_base.h"
#include "objects/objects.h"
#include "objects/store.h"

namespace gateleg::objects {

namespace {

using internal::ObjectsBase;

class LocalObjects final : public ObjectsBase {
public:
    LocalObjects(
        LocalObjectsOptions options,
        ObjectStore& store,
        const ThumbnailMaker& thumbnails,
        const Clock& clock
    )
        : ObjectsBase(options.bucket, std::move(options.fetch), thumbnails, clock),
          region_(std::move(options.region)),
          base_url_(std::move(options.base_url)),
          store_(store) {}

    Result<std::optional<ObjectHead>> head(std::string_view key) const override {
        const auto info = store_.head(bucket(), key);
        if (!info) {
            if (reason_of(info.error()) == Reason::kNoSuchKey) {
                return std::optional<ObjectHead>();
            }
            return info.error();
        }
        return std::optional(ObjectHead{
            info->size, info->metadata.content_type, info->etag, info->modified_millis});
    }

    Result<Sniffed> inspect(std::string_view key) const override {
        GATELEG_TRY_ASSIGN(auto reader, store_.open(bucket(), key));
        return sniff(reader.info().size, [&](std::uint64_t offset, char* out, std::size_t size) {
            return reader.read(offset, {out, size});
        });
    }

    Result<ObjectHead> put(
        std::string_view key, std::string_view bytes, std::string_view content_type
    ) override {
        GATELEG_TRY_ASSIGN(auto upload, store_.begin_put(bucket(), key, {}));
        GATELEG_TRY(upload.append(bytes));
        FinishUpload finish;
        finish.metadata.content_type = content_type;
        GATELEG_TRY_ASSIGN(const auto written, upload.finish(finish));
        return ObjectHead{
            written.size, std::string(content_type), written.etag, written.modified_millis};
    }

    Result<std::string> get(std::string_view key, std::uint64_t max_bytes) const override {
        GATELEG_TRY_ASSIGN(auto reader, store_.open(bucket(), key));
        if (reader.info().size > max_bytes) {
            return object_error(Reason::kEntityTooLarge);
        }
        std::string body(reader.info().size, '\0');
        GATELEG_TRY(reader.read(0, body));
        return body;
    }

    Result<void> remove(std::string_view key) override { return store_.remove(bucket(), key); }

protected:
    Result<void> address(PresignUrl& url, std::string_view key) const override {
        url.base_url = base_url_();
        url.path = "/" + bucket() + "/" + encode_key_path(key);
        url.region = region_;
        url.access_key_id = store_.own_key().access_key_id;
        url.secret_access_key = store_.own_key().secret_access_key;
        return {};
    }

private:
    const std::string region_;
    const std::function<std::string()> base_url_;
    ObjectStore& store_;
};

}  // namespace

Result<std::unique_ptr<Objects>> make_local_objects(
    LocalObjectsOptions options,
    ObjectStore& store,
    const ThumbnailMaker& thumbnails,
    const Clock& clock
) {
    if (auto made = store.create_bucket(options.bucket);
        !made && reason_of(made.error()) != Reason::kBucketAlreadyOwnedByYou) {
        return std::move(made).error();
    }
    return std::unique_ptr<Objects>(
        std::make_unique<LocalObjects>(std::move(options), store, thumbnails, clock)
    );
}

}  // namespace gateleg::objects

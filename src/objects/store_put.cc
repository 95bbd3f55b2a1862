#include <algorithm>
#include <utility>

#include "objects/internal/body_writer.h"
#include "objects/internal/names.h"
#include "objects/internal/open_bodies.h"
#include "objects/internal/store_impl.h"
#include "objects/store.h"

namespace gateleg::objects {

using namespace internal;  // NOLINT: this is their only user

namespace {

// Commits a sealed body; `decide` may refuse it. Afterwards its file stays or goes accordingly.
Result<void> commit_body(
    RecordWriter& writer, SealedBody& body, const RecordWriter::Decide& decide
) {
    bool decided = false;
    auto committed = writer.commit([&](Change& change) -> Result<void> {
        GATELEG_TRY(decide(change));
        decided = true;
        return {};
    });
    if (committed) {
        body.flight.release();
    } else if (decided) {
        body.flight.leave();
    }
    return committed;
}

}  // namespace

class ObjectStore::ObjectTarget final : public UploadTarget {
public:
    ObjectTarget(Impl& impl, std::string_view bucket, std::string_view key)
        : impl_(impl), bucket_(bucket), key_(key) {}

    Result<void> check(const FinishUpload& finish) const override {
        GATELEG_TRY(check_metadata(finish.metadata));
        return check_tags(finish.tags);
    }

    Result<Written> commit(SealedBody& body, const FinishUpload& finish) override {
        ObjectRecord record;
        record.info.size = body.segment.size;
        record.info.etag = hex_of(body.md5);
        record.info.modified_millis = impl_.clock.now_millis();
        record.info.checksum = body.checksum;
        record.info.metadata = finish.metadata;
        record.info.tags = finish.tags;
        record.segments = {body.segment};
        std::vector<Segment> unused;
        GATELEG_TRY(commit_body(impl_.writer, body, [&](Change& change) {
            return replace_object(change, bucket_, key_, record, finish.condition, unused);
        }));
        impl_.remove_bodies(unused);
        return Written{
            record.info.etag, record.info.size, record.info.modified_millis, body.checksum};
    }

private:
    Impl& impl_;
    const std::string bucket_;
    const std::string key_;
};

class ObjectStore::PartTarget final : public UploadTarget {
public:
    PartTarget(Impl& impl, UploadName upload, int number)
        : impl_(impl), upload_(std::move(upload)), number_(number) {}

    Result<void> check(const FinishUpload&) const override { return {}; }

    Result<Written> commit(SealedBody& body, const FinishUpload&) override {
        const PartRecord record{body.segment, body.md5, impl_.clock.now_millis(), body.checksum};
        std::vector<Segment> unused;
        const auto decide = [&](Change& change) -> Result<void> {
            GATELEG_TRY_ASSIGN(
                const auto upload,
                change.get(upload_key(upload_.bucket, upload_.key, upload_.upload_id))
            );
            if (!upload) {
                return object_error(Reason::kNoSuchUpload);
            }
            const auto place = part_key(upload_.upload_id, number_);
            GATELEG_TRY_ASSIGN(const auto old_value, change.get(place));
            if (old_value) {
                const auto old = decode_part(*old_value);
                if (!old) {
                    return damaged_record();
                }
                change.erase(body_key(old->segment.body));
                unused.push_back(old->segment);
            }
            change.put(body_key(body.segment.body), place);
            change.put(place, encode(record));
            return {};
        };
        GATELEG_TRY(commit_body(impl_.writer, body, decide));
        impl_.remove_bodies(unused);
        return Written{hex_of(body.md5), body.segment.size, record.modified_millis, body.checksum};
    }

private:
    Impl& impl_;
    const UploadName upload_;
    const int number_;
};

Result<Upload> ObjectStore::begin_put(
    std::string_view bucket, std::string_view key, UploadOptions options
) {
    GATELEG_TRY(check_key(key));
    GATELEG_TRY(impl_->get_bucket(bucket));
    GATELEG_TRY(impl_->check_room());
    if (options.expected_bytes.value_or(0) > options.max_bytes) {
        return object_error(Reason::kEntityTooLarge);
    }
    GATELEG_TRY_ASSIGN(auto file, impl_->bodies.create());
    return Upload(
        std::make_unique<BodyWriter>(std::move(file), std::move(options)),
        std::make_unique<ObjectTarget>(*impl_, bucket, key)
    );
}

Result<Upload> ObjectStore::begin_part(
    const UploadName& upload, int number, UploadOptions options
) {
    if (number < 1 || number > kMaxParts) {
        return object_error(
            Reason::kInvalidArgument,
            "Part number must be an integer between 1 and 10000, inclusive"
        );
    }
    GATELEG_TRY_ASSIGN(const auto record, impl_->get_upload(upload));
    GATELEG_TRY(impl_->check_room());
    if (options.expected_bytes.value_or(0) > options.max_bytes) {
        return object_error(Reason::kEntityTooLarge);
    }
    if (record.info.algorithm) {
        std::erase(options.checksums, *record.info.algorithm);
        options.checksums.insert(options.checksums.begin(), *record.info.algorithm);
    }
    GATELEG_TRY_ASSIGN(auto file, impl_->bodies.create());
    return Upload(
        std::make_unique<BodyWriter>(std::move(file), std::move(options)),
        std::make_unique<PartTarget>(*impl_, upload, number)
    );
}

}  // namespace gateleg::objects

#include "objects/store.h"

#include <utility>

#include "base/base64.h"
#include "objects/internal/conditions.h"
#include "objects/internal/names.h"
#include "objects/internal/open_bodies.h"
#include "objects/internal/store_impl.h"

namespace gateleg::objects {

using namespace internal;  // NOLINT: this is their only user

namespace {

constexpr std::size_t kMaxCorsRules = 100;

Written written_as(const ObjectInfo& info) {
    return {info.etag, info.size, info.modified_millis, info.checksum};
}

}  // namespace

ObjectStore::ObjectStore(const ObjectStoreOptions& options, const Clock& clock)
    : impl_(std::make_unique<Impl>(options, clock)) {}
ObjectStore::~ObjectStore() = default;

Result<void> ObjectStore::create_bucket(std::string_view bucket) {
    GATELEG_TRY(check_bucket_name(bucket));
    return impl_->writer.commit(
        [&](Change& change) -> Result<void> {
            const auto key = bucket_key(bucket);
            GATELEG_TRY_ASSIGN(const auto existing, change.get(key));
            if (existing) {
                return object_error(Reason::kBucketAlreadyOwnedByYou);
            }
            GATELEG_TRY_ASSIGN(const auto buckets, list_buckets());
            if (buckets.size() >= kMaxBuckets) {
                return object_error(Reason::kTooManyBuckets);
            }
            change.put(key, encode(BucketRecord{impl_->clock.now_millis(), {}}));
            return {};
        },
        Company::kAlone
    );
}

Result<void> ObjectStore::delete_bucket(std::string_view bucket) {
    std::vector<Segment> unused;
    const auto decide = [&](Change& change) -> Result<void> {
        GATELEG_TRY(impl_->get_bucket(bucket));
        const auto objects = objects_of(bucket);
        const auto object =
            impl_->records->cursor({.lower_bound = objects.begin, .upper_bound = objects.end});
        object->seek_to_first();
        GATELEG_TRY(object->status());
        if (object->valid()) {
            return object_error(Reason::kBucketNotEmpty);
        }
        const auto uploads = uploads_of(bucket);
        const auto upload =
            impl_->records->cursor({.lower_bound = uploads.begin, .upper_bound = uploads.end});
        for (upload->seek_to_first(); upload->valid(); upload->next()) {
            const auto name = parse_upload_key(upload->key());
            if (!name) {
                return damaged_record();
            }
            GATELEG_TRY(
                impl_->erase_upload(change, {name->bucket, name->key, name->upload_id}, unused)
            );
        }
        GATELEG_TRY(upload->status());
        change.erase(bucket_key(bucket));
        return {};
    };
    GATELEG_TRY(impl_->writer.commit(decide, Company::kAlone, storage::WriteClass::kShrinks));
    impl_->remove_bodies(unused);
    return {};
}

Result<BucketInfo> ObjectStore::head_bucket(std::string_view bucket) const {
    GATELEG_TRY_ASSIGN(const auto record, impl_->get_bucket(bucket));
    return BucketInfo{std::string(bucket), record.created_millis};
}

Result<std::vector<BucketInfo>> ObjectStore::list_buckets() const {
    std::vector<BucketInfo> buckets;
    const auto range = all_buckets();
    const auto cursor =
        impl_->records->cursor({.lower_bound = range.begin, .upper_bound = range.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        const auto name = parse_bucket_key(cursor->key());
        const auto record = decode_bucket(cursor->value());
        if (!name || !record) {
            return damaged_record();
        }
        buckets.push_back({std::string(*name), record->created_millis});
    }
    GATELEG_TRY(cursor->status());
    return buckets;
}

Result<std::vector<CorsRule>> ObjectStore::cors(std::string_view bucket) const {
    GATELEG_TRY_ASSIGN(auto record, impl_->get_bucket(bucket));
    return std::move(record.cors);
}

Result<void> ObjectStore::set_cors(std::string_view bucket, std::vector<CorsRule> rules) {
    if (rules.size() > kMaxCorsRules) {
        return object_error(Reason::kInvalidRequest, "A bucket takes at most 100 CORS rules.");
    }
    return impl_->writer.commit([&](Change& change) -> Result<void> {
        const auto key = bucket_key(bucket);
        GATELEG_TRY_ASSIGN(const auto value, change.get(key));
        if (!value) {
            return object_error(Reason::kNoSuchBucket);
        }
        auto record = decode_bucket(*value);
        if (!record) {
            return damaged_record();
        }
        record->cors = rules;
        change.put(key, encode(*record));
        return {};
    });
}

Result<ObjectInfo> ObjectStore::head(std::string_view bucket, std::string_view key) const {
    GATELEG_TRY_ASSIGN(auto record, impl_->get_object(bucket, key));
    return std::move(record.info);
}

Result<ObjectReader> ObjectStore::open(std::string_view bucket, std::string_view key) const {
    GATELEG_TRY_ASSIGN(auto source, impl_->open(bucket, key));
    return ObjectReader(std::move(source.record.info), std::move(source.bodies));
}

Result<Written> ObjectStore::copy(const CopyRequest& request) {
    GATELEG_TRY(check_key(request.key));
    GATELEG_TRY(impl_->check_room());
    const bool onto_itself =
        request.source_bucket == request.bucket && request.source_key == request.key;
    if (onto_itself && !request.metadata && !request.tags && !request.checksum) {
        return object_error(
            Reason::kInvalidRequest,
            "This copy request is illegal because it is trying to copy an object to itself without "
            "changing the object's metadata, storage class, website redirect location or "
            "encryption attributes."
        );
    }
    GATELEG_TRY(check_metadata(request.metadata.value_or(ObjectMetadata{})));
    GATELEG_TRY(check_tags(request.tags.value_or(std::vector<NamedText>{})));
    GATELEG_TRY(impl_->get_bucket(request.bucket));
    GATELEG_TRY_ASSIGN(auto reader, open(request.source_bucket, request.source_key));
    GATELEG_TRY(check_copy_source(request.source_condition, reader.info()));

    ObjectRecord record;
    record.info = reader.info();
    record.info.modified_millis = impl_->clock.now_millis();
    record.info.metadata = request.metadata.value_or(reader.info().metadata);
    record.info.tags = request.tags.value_or(reader.info().tags);
    const auto& has = reader.info().checksum;
    if (request.checksum &&
        (!has || has->algorithm != *request.checksum || has->type != ChecksumType::kFullObject)) {
        const auto digester = make_digester(*request.checksum);
        std::vector<char> buffer(std::size_t{256} << 10);
        for (std::uint64_t offset = 0; offset < record.info.size;) {
            GATELEG_TRY_ASSIGN(const auto got, reader.read(offset, buffer));
            digester->update({buffer.data(), got});
            offset += got;
        }
        record.info.checksum = Checksum{
            *request.checksum, ChecksumType::kFullObject, encode_base64(digester->finish())};
    }
    // The reader pins the bodies, so that they are there to be duplicated.
    std::vector<InFlight> flights;
    for (const auto& segment : reader.bodies_->list()) {
        GATELEG_TRY_ASSIGN(auto flight, impl_->bodies.duplicate(segment.body));
        record.segments.push_back({flight.name(), segment.size});
        flights.push_back(std::move(flight));
    }
    std::vector<Segment> unused;
    bool decided = false;
    const auto committed = impl_->writer.commit([&](Change& change) -> Result<void> {
        GATELEG_TRY(
            replace_object(change, request.bucket, request.key, record, request.condition, unused)
        );
        decided = true;
        return {};
    });
    for (auto& flight : flights) {
        if (committed) {
            flight.release();
        } else if (decided) {
            flight.leave();
        }
    }
    GATELEG_TRY(committed);
    impl_->remove_bodies(unused);
    return written_as(record.info);
}

Result<void> ObjectStore::remove(
    std::string_view bucket, std::string_view key, const WriteCondition& condition
) {
    std::vector<Segment> unused;
    const auto decide = [&](Change& change) -> Result<void> {
        GATELEG_TRY_ASSIGN(const auto bucket_value, change.get(bucket_key(bucket)));
        if (!bucket_value) {
            return object_error(Reason::kNoSuchBucket);
        }
        const auto place = object_key(bucket, key);
        GATELEG_TRY_ASSIGN(const auto value, change.get(place));
        if (!value) {
            return check_write(condition, nullptr);
        }
        auto record = decode_object(*value);
        if (!record) {
            return damaged_record();
        }
        GATELEG_TRY(check_write(condition, &record->info.etag));
        for (const auto& segment : record->segments) {
            change.erase(body_key(segment.body));
        }
        change.erase(place);
        unused = std::move(record->segments);
        return {};
    };
    GATELEG_TRY(impl_->writer.commit(decide, Company::kShared, storage::WriteClass::kShrinks));
    impl_->remove_bodies(unused);
    return {};
}

Result<std::vector<DeleteVerdict>> ObjectStore::remove_many(
    std::string_view bucket, const std::vector<std::string>& keys
) {
    std::vector<DeleteVerdict> verdicts;
    std::vector<Segment> unused;
    const auto decide = [&](Change& change) -> Result<void> {
        GATELEG_TRY_ASSIGN(const auto bucket_value, change.get(bucket_key(bucket)));
        if (!bucket_value) {
            return object_error(Reason::kNoSuchBucket);
        }
        for (const auto& key : keys) {
            verdicts.push_back({key, std::nullopt});
            const auto place = object_key(bucket, key);
            GATELEG_TRY_ASSIGN(const auto value, change.get(place));
            if (!value) {
                continue;
            }
            const auto record = decode_object(*value);
            if (!record) {
                verdicts.back().error = damaged_record();
                continue;
            }
            for (const auto& segment : record->segments) {
                change.erase(body_key(segment.body));
                unused.push_back(segment);
            }
            change.erase(place);
        }
        return {};
    };
    GATELEG_TRY(impl_->writer.commit(decide, Company::kShared, storage::WriteClass::kShrinks));
    impl_->remove_bodies(unused);
    return verdicts;
}

Result<std::vector<NamedText>> ObjectStore::tags(std::string_view bucket, std::string_view key)
    const {
    GATELEG_TRY_ASSIGN(auto record, impl_->get_object(bucket, key));
    return std::move(record.info.tags);
}

Result<void> ObjectStore::set_tags(
    std::string_view bucket, std::string_view key, std::vector<NamedText> tags
) {
    GATELEG_TRY(check_tags(tags));
    return impl_->writer.commit([&](Change& change) -> Result<void> {
        const auto place = object_key(bucket, key);
        GATELEG_TRY_ASSIGN(const auto value, change.get(place));
        if (!value) {
            GATELEG_TRY(impl_->get_bucket(bucket));
            return object_error(Reason::kNoSuchKey);
        }
        auto record = decode_object(*value);
        if (!record) {
            return damaged_record();
        }
        record->info.tags = tags;
        change.put(place, encode(*record));
        return {};
    });
}

const OwnKey& ObjectStore::own_key() const {
    return impl_->own_key;
}

storage::Health ObjectStore::health() const {
    return impl_->records->health();
}

Result<void> ObjectStore::sweep() {
    GATELEG_TRY(impl_->sweep_orphans({}));
    return impl_->sweep_uploads();
}

}  // namespace gateleg::objects

#include "objects/internal/store_impl.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "objects/internal/conditions.h"
#include "objects/internal/open_bodies.h"
#include "objects/internal/own_key.h"

namespace gateleg::objects {

namespace {

constexpr std::chrono::hours kSweepEvery{1};
constexpr std::size_t kUploadsPerSweep = 10'000;

std::unique_ptr<storage::Store> open_records(
    const ObjectStoreOptions& options, const std::filesystem::path& directory
) {
    storage::StoreOptions records;
    records.directory = directory / "meta";
    records.in_memory = options.in_memory;
    records.durability = options.durability;
    records.block_cache_bytes = options.block_cache_bytes;
    records.accept_data_loss = options.accept_data_loss;
    if (!options.in_memory) {
        std::filesystem::create_directories(directory);
        std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    }
    return storage::Store::open(records);
}

}  // namespace

namespace internal {

Result<std::optional<std::string>> read_record(const storage::Store& store, std::string_view key) {
    std::string value;
    GATELEG_TRY_ASSIGN(const bool exists, store.get(key, value));
    return exists ? std::optional(std::move(value)) : std::nullopt;
}

Error damaged_record() {
    return internal_error("a record of the object store cannot be read");
}

Result<void> replace_object(
    Change& change,
    std::string_view bucket,
    std::string_view key,
    const ObjectRecord& record,
    const WriteCondition& condition,
    std::vector<Segment>& unused
) {
    GATELEG_TRY_ASSIGN(const auto bucket_value, change.get(bucket_key(bucket)));
    if (!bucket_value) {
        return object_error(Reason::kNoSuchBucket);
    }
    const auto place = object_key(bucket, key);
    GATELEG_TRY_ASSIGN(const auto old_value, change.get(place));
    if (!old_value) {
        GATELEG_TRY(check_write(condition, nullptr));
    } else {
        auto old = decode_object(*old_value);
        if (!old) {
            return damaged_record();
        }
        GATELEG_TRY(check_write(condition, &old->info.etag));
        for (const auto& segment : old->segments) {
            change.erase(body_key(segment.body));
        }
        unused = std::move(old->segments);
    }
    for (const auto& segment : record.segments) {
        change.put(body_key(segment.body), place);
    }
    change.put(place, encode(record));
    return {};
}

}  // namespace internal

using namespace internal;  // NOLINT: the parts this file puts together

ObjectStore::Impl::Impl(const ObjectStoreOptions& given, const Clock& time)
    : options(given),
      clock(time),
      temporary_(given.in_memory ? TemporaryDirectory::make() : TemporaryDirectory()),
      directory_(given.in_memory ? temporary_.path() : given.directory),
      records(open_records(given, directory_)),
      writer(*records),
      bodies(directory_, !given.in_memory && given.durability == storage::Durability::kFsync),
      own_key(given.in_memory ? make_own_key() : load_own_key(directory_)) {
    if (options.sweep_in_background) {
        sweeper_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
    }
}

ObjectStore::Impl::~Impl() = default;

Result<BucketRecord> ObjectStore::Impl::get_bucket(std::string_view bucket) const {
    GATELEG_TRY_ASSIGN(const auto value, read_record(*records, bucket_key(bucket)));
    if (!value) {
        return object_error(Reason::kNoSuchBucket);
    }
    auto record = decode_bucket(*value);
    return record ? Result<BucketRecord>(*std::move(record)) : damaged_record();
}

Result<ObjectRecord> ObjectStore::Impl::get_object(std::string_view bucket, std::string_view key)
    const {
    GATELEG_TRY_ASSIGN(const auto value, read_record(*records, object_key(bucket, key)));
    if (!value) {
        GATELEG_TRY(get_bucket(bucket));
        return object_error(Reason::kNoSuchKey);
    }
    auto record = decode_object(*value);
    if (!record) {
        return damaged_record();
    }
    record->info.key = key;
    return *std::move(record);
}

Result<UploadRecord> ObjectStore::Impl::get_upload(const UploadName& upload) const {
    GATELEG_TRY(get_bucket(upload.bucket));
    GATELEG_TRY_ASSIGN(
        const auto value,
        read_record(*records, upload_key(upload.bucket, upload.key, upload.upload_id))
    );
    if (!value) {
        return object_error(Reason::kNoSuchUpload);
    }
    auto record = decode_upload(*value);
    if (!record) {
        return damaged_record();
    }
    record->info.key = upload.key;
    record->info.upload_id = upload.upload_id;
    return *std::move(record);
}

Result<ObjectStore::Impl::Source> ObjectStore::Impl::open(
    std::string_view bucket, std::string_view key
) const {
    GATELEG_TRY_ASSIGN(auto record, get_object(bucket, key));
    for (;;) {
        auto opened = std::make_unique<OpenBodies>(bodies, record.segments);
        // Pinned now. If the record still says the same, nothing was removed before the pin.
        GATELEG_TRY_ASSIGN(auto again, get_object(bucket, key));
        if (again.segments == record.segments) {
            return Source{std::move(again), std::move(opened)};
        }
        record = std::move(again);
    }
}

Result<void> ObjectStore::Impl::check_room() const {
    if (records->health() != storage::Health::kOk) {
        return service_unavailable("There is no room for this object now.");
    }
    return {};
}

Result<std::vector<std::pair<int, PartRecord>>> ObjectStore::Impl::parts_of(
    std::string_view upload_id
) const {
    std::vector<std::pair<int, PartRecord>> parts;
    const auto range = internal::parts_of(upload_id);
    const auto cursor = records->cursor({.lower_bound = range.begin, .upper_bound = range.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        const auto number = parse_part_key(cursor->key());
        auto record = decode_part(cursor->value());
        if (!number || !record) {
            return damaged_record();
        }
        parts.emplace_back(*number, *std::move(record));
    }
    GATELEG_TRY(cursor->status());
    return parts;
}

Result<void> ObjectStore::Impl::erase_upload(
    Change& change, const UploadName& upload, std::vector<Segment>& unused
) const {
    GATELEG_TRY_ASSIGN(const auto parts, parts_of(upload.upload_id));
    for (const auto& [number, part] : parts) {
        change.erase(part_key(upload.upload_id, number));
        change.erase(body_key(part.segment.body));
        unused.push_back(part.segment);
    }
    change.erase(upload_key(upload.bucket, upload.key, upload.upload_id));
    return {};
}

void ObjectStore::Impl::remove_bodies(const std::vector<Segment>& segments) {
    for (const auto& segment : segments) {
        bodies.remove(segment.body);
    }
}

// In this order: what is in flight gets its record before it lands.
bool ObjectStore::Impl::is_orphan(const BodyName& body) const {
    if (bodies.is_busy(body)) {
        return false;
    }
    const auto owner = read_record(*records, body_key(body));
    return owner && !*owner;
}

Result<void> ObjectStore::Impl::sweep_orphans(const std::stop_token& stop) {
    std::uint64_t removed = 0;
    std::uint64_t bytes = 0;
    bodies.for_each([&](const BodyName& body, std::uint64_t size) {
        if (is_orphan(body)) {
            bodies.remove(body);
            ++removed;
            bytes += size;
        }
        return !stop.stop_requested();
    });
    if (removed > 0) {
        log_info("orphan bodies removed", {{"files", removed}, {"bytes", bytes}});
    }
    return {};
}

Result<void> ObjectStore::Impl::sweep_uploads() {
    const auto limit = clock.now_millis() - options.abandoned_after_seconds * 1000;
    std::vector<UploadName> abandoned;
    {
        const auto range = all_uploads();
        const auto cursor = records->cursor(
            {.lower_bound = range.begin, .upper_bound = range.end, .fill_cache = false}
        );
        for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
            const auto name = parse_upload_key(cursor->key());
            const auto record = decode_upload(cursor->value());
            if (name && record && record->info.created_millis <= limit) {
                abandoned.push_back({name->bucket, name->key, name->upload_id});
            }
            if (abandoned.size() == kUploadsPerSweep) {
                break;
            }
        }
        GATELEG_TRY(cursor->status());
    }
    for (const auto& upload : abandoned) {
        std::vector<Segment> unused;
        const auto decide = [&](Change& change) { return erase_upload(change, upload, unused); };
        GATELEG_TRY(writer.commit(decide, Company::kAlone, storage::WriteClass::kShrinks));
        remove_bodies(unused);
    }
    if (!abandoned.empty()) {
        log_info("abandoned multipart uploads removed", {{"uploads", abandoned.size()}});
    }
    return {};
}

void ObjectStore::Impl::work(const std::stop_token& stop) {
    if (const auto swept = sweep_orphans(stop); !swept) {
        log_warn("sweep of bodies failed", {{"cause", swept.error().message}});
    }
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        if (const auto swept = sweep_uploads(); !swept) {
            log_warn("sweep of uploads failed", {{"cause", swept.error().message}});
        }
        woken.wait_for(lock, stop, kSweepEvery, [] { return false; });
    }
}

}  // namespace gateleg::objects

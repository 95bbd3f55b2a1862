// What the sources of ObjectStore share.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "objects/internal/body_files.h"
#include "objects/internal/body_writer.h"
#include "objects/internal/record_writer.h"
#include "objects/internal/records.h"
#include "objects/internal/temporary_directory.h"
#include "objects/store.h"

namespace gateleg::objects {

// Thread-safe, as the store is.
class ObjectStore::Impl {
public:
    Impl(const ObjectStoreOptions& options, const Clock& clock);
    ~Impl();

    // kNoSuchBucket, kNoSuchKey, kNoSuchUpload.
    Result<internal::BucketRecord> get_bucket(std::string_view bucket) const;
    Result<internal::ObjectRecord> get_object(std::string_view bucket, std::string_view key) const;
    Result<internal::UploadRecord> get_upload(const UploadName& upload) const;
    // A body and the object it belongs to, which stays readable whatever happens to the object.
    struct Source {
        internal::ObjectRecord record;
        std::unique_ptr<internal::OpenBodies> bodies;
    };
    Result<Source> open(std::string_view bucket, std::string_view key) const;

    // While there is no room, nothing new begins.
    Result<void> check_room() const;

    // The upload with its parts, in a change of its own. Their bodies go into `unused`.
    Result<void> erase_upload(
        internal::Change& change, const UploadName& upload, std::vector<internal::Segment>& unused
    ) const;
    Result<std::vector<std::pair<int, internal::PartRecord>>> parts_of(std::string_view upload_id
    ) const;

    void remove_bodies(const std::vector<internal::Segment>& segments);
    bool is_orphan(const internal::BodyName& body) const;
    Result<void> sweep_orphans(const std::stop_token& stop);
    Result<void> sweep_uploads();

    const ObjectStoreOptions options;
    const Clock& clock;

private:
    const internal::TemporaryDirectory temporary_;  // first: it goes when all else is gone
    std::filesystem::path directory_;

public:
    const std::unique_ptr<storage::Store> records;
    internal::RecordWriter writer;
    mutable internal::BodyFiles bodies;
    const OwnKey own_key;

private:
    void work(const std::stop_token& stop);

    std::jthread sweeper_;  // last: it uses all of the above
};

namespace internal {

// Reads the newest state, of the store or of a change.
Result<std::optional<std::string>> read_record(const storage::Store& store, std::string_view key);

Error damaged_record();

// Puts `record` in the place of the object there is, if the condition holds. The bodies of the old
// one go into `unused`, to be removed once this is committed.
Result<void> replace_object(
    Change& change,
    std::string_view bucket,
    std::string_view key,
    const ObjectRecord& record,
    const WriteCondition& condition,
    std::vector<Segment>& unused
);

}  // namespace internal

}  // namespace gateleg::objects

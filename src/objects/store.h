// Buckets and objects on this machine: bodies are files, everything else is in a key-value store.
//
// A body is a file with a random name that is written once; a key never becomes a file name. A
// write is visible when body and record are durable, and all of it or nothing survives a crash.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "objects/errors.h"
#include "objects/multipart.h"
#include "objects/reader.h"
#include "objects/store_check.h"
#include "objects/types.h"
#include "objects/upload.h"
#include "storage/store.h"

namespace gateleg::objects {

struct ObjectStoreOptions {
    std::filesystem::path directory;  // ignored when in_memory
    // Records in memory, bodies in a temporary directory that goes with the store.
    bool in_memory = false;
    storage::Durability durability = storage::Durability::kFsync;
    std::size_t block_cache_bytes = std::size_t{32} << 20;
    bool accept_data_loss = false;
    // Multipart uploads that nobody finished go after this long.
    std::int64_t abandoned_after_seconds = std::int64_t{7} * 24 * 3600;
    // Sweeps what crashes and abandoned uploads left, at start and then every hour.
    bool sweep_in_background = true;
};

// A key that this server signs with itself; kept in the store's directory, 0600.
struct OwnKey {
    std::string access_key_id;
    std::string secret_access_key;
};

struct CopyRequest {
    std::string source_bucket;
    std::string source_key;
    ReadCondition source_condition;
    std::string bucket;
    std::string key;
    // Set: instead of the source's.
    std::optional<ObjectMetadata> metadata;
    std::optional<std::vector<NamedText>> tags;
    std::optional<ChecksumAlgorithm> checksum;
    WriteCondition condition;
};

struct DeleteVerdict {
    std::string key;
    std::optional<Error> error;
};

// Thread-safe. Every call may block on the disk, so none belongs on an I/O thread. Errors are those
// of errors.h. Writes are decided one after the other, and each against the newest state.
class ObjectStore {
public:
    // Throws storage::StoreOpenError and std::filesystem::filesystem_error. The clock outlives it.
    ObjectStore(const ObjectStoreOptions& options, const Clock& clock);
    // Waits for the sweeper. Uploads and readers are gone by then.
    ~ObjectStore();
    ObjectStore(const ObjectStore&) = delete;
    ObjectStore& operator=(const ObjectStore&) = delete;

    // kBucketAlreadyOwnedByYou if it exists.
    Result<void> create_bucket(std::string_view bucket);
    // kBucketNotEmpty while it has objects; multipart uploads in it are aborted.
    Result<void> delete_bucket(std::string_view bucket);
    Result<BucketInfo> head_bucket(std::string_view bucket) const;
    Result<std::vector<BucketInfo>> list_buckets() const;

    Result<std::vector<CorsRule>> cors(std::string_view bucket) const;  // empty: none are set
    // An empty list takes the rules away.
    Result<void> set_cors(std::string_view bucket, std::vector<CorsRule> rules);

    Result<Upload> begin_put(std::string_view bucket, std::string_view key, UploadOptions options);
    Result<ObjectInfo> head(std::string_view bucket, std::string_view key) const;
    Result<ObjectReader> open(std::string_view bucket, std::string_view key) const;
    Result<Written> copy(const CopyRequest& request);
    // Deleting what is not there succeeds, unless if_match asks for it.
    Result<void> remove(
        std::string_view bucket, std::string_view key, const WriteCondition& condition = {}
    );
    // One verdict a key, in order; all in one write.
    Result<std::vector<DeleteVerdict>> remove_many(
        std::string_view bucket, const std::vector<std::string>& keys
    );
    Result<ListPage> list(std::string_view bucket, const ListRequest& request) const;

    Result<std::vector<NamedText>> tags(std::string_view bucket, std::string_view key) const;
    // An empty list takes them away.
    Result<void> set_tags(
        std::string_view bucket, std::string_view key, std::vector<NamedText> tags
    );

    // Parts: see multipart.h for the requests.
    Result<MultipartInfo> create_multipart(
        std::string_view bucket, std::string_view key, const CreateMultipart& request
    );
    Result<Upload> begin_part(const UploadName& upload, int number, UploadOptions options);
    Result<Written> copy_part(const CopyPart& request);
    Result<Written> complete_multipart(const CompleteMultipart& request);
    Result<void> abort_multipart(const UploadName& upload);
    Result<MultipartInfo> head_multipart(const UploadName& upload) const;
    Result<PartPage> list_parts(const UploadName& upload, int after_number, std::size_t max_parts)
        const;
    Result<UploadPage> list_multiparts(std::string_view bucket, const ListUploads& request) const;

    const OwnKey& own_key() const;
    storage::Health health() const;
    // Compares files and records; `repair` deletes orphan bodies. Works on a store in use.
    Result<StoreCheck> check(bool repair);
    // What the background does each hour, at once.
    Result<void> sweep();

private:
    class Impl;
    class ObjectTarget;
    class PartTarget;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gateleg::objects

// The state of an open store and the thread that watches over it.

#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include <rocksdb/options.h>

#include "storage/internal/background_state.h"
#include "storage/internal/data_directory.h"
#include "storage/internal/database.h"
#include "storage/internal/high_water_mark.h"
#include "storage/internal/hooks.h"
#include "storage/internal/row_cache.h"
#include "storage/internal/slabs.h"
#include "storage/internal/tidying.h"
#include "storage/internal/write_batch_impl.h"
#include "storage/store.h"

namespace gateleg::storage {

class Store::Impl {
public:
    explicit Impl(const StoreOptions& options);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    const std::shared_ptr<internal::Database>& database() const { return database_; }
    internal::RowCache& rows() { return rows_; }
    const rocksdb::ReadOptions& read_options() const { return read_options_; }

    Result<void> write(WriteBatch::Impl& batch, WriteClass write_class);
    Result<void> flush();
    bool syncs() const { return write_options_.sync; }
    Health health() const;
    std::string health_reason() const;

private:
    // kDiskFull is worse than kDiskLow: RocksDB has stopped, and must be opened again to go on.
    enum class Mode : std::uint8_t { kOk, kDiskLow, kDiskFull, kFailed };

    void make_env();
    rocksdb::Options rocksdb_options();
    void open_in_memory();
    // False if the disk is so full that it could only be opened for reading.
    bool open_database(const std::optional<internal::HighWaterMark>& mark);
    void reopen_database();

    Result<void> check_mode(WriteClass write_class) const;
    Error note_failure(const char* doing, const rocksdb::Status& status);
    void set_mode(Mode mode, const std::string& reason);

    void watch(const std::stop_token& stop);
    void check_background();
    void check_disk();
    internal::DiskSpace disk_space() const;
    std::uint64_t watermark(const internal::DiskSpace& space) const;
    internal::HighWaterMark current_mark() const;
    void write_mark(bool clean, bool sync);
    void write_mark_if_moved();

    StoreOptions options_;
    std::chrono::milliseconds tick_;
    std::optional<internal::DataDirectory> directory_;
    std::shared_ptr<rocksdb::Cache> cache_;
    internal::RowCache rows_{cache_};
    std::shared_ptr<internal::Database> database_ = std::make_shared<internal::Database>();
    std::shared_ptr<internal::BackgroundState> background_;
    rocksdb::WriteOptions write_options_;
    rocksdb::ReadOptions read_options_;
    std::string boot_id_ = internal::current_boot_id();
    // What was in synced files when the database was opened, or after the last flush().
    std::atomic<std::uint64_t> flushed_sequence_{0};

    // Held to change the database or to replace it.
    mutable std::mutex write_mutex_;
    std::atomic<Mode> mode_{Mode::kOk};
    mutable std::mutex reason_mutex_;
    std::string reason_;

    // Taken after write_mutex_.
    std::mutex mark_mutex_;
    std::optional<internal::HighWaterMarkFile> mark_file_;
    internal::HighWaterMark written_mark_;

    std::shared_ptr<internal::SlabPool> slabs_;  // not for a store in memory, which has no watcher
    int ticks_to_next_reopen_ = 0;
    internal::Tidying tidying_;
    // A fast writer can fill a small disk between two ticks, so it also asks for a look.
    std::uint64_t bytes_since_look_ = 0;  // under write_mutex_
    std::atomic<bool> look_now_{false};
    std::mutex watch_mutex_;
    std::condition_variable_any watch_wake_;
    std::jthread watcher_;
};

}  // namespace gateleg::storage

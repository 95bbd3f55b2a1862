#include "storage/internal/store_impl.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <sys/statvfs.h>

#include "base/log.h"
#include "storage/internal/recovery.h"
#include "storage/internal/rocksdb_options.h"
#include "storage/internal/rocksdb_status.h"
#include "storage/internal/roomy_logs.h"

namespace gateleg::storage {
namespace {

using internal::DiskSpace;
using internal::HighWaterMark;
using internal::to_error;

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr const char* kMemoryPath = "/store";
// How long readers may keep the database from being opened again before they are let go on.
constexpr std::chrono::milliseconds kReaderLimit{200};
// An attempt that finds the disk still full costs readers a pause, so not each second.
constexpr int kTicksBetweenReopens = 3;
// Written so much, the watcher looks at the disk before its next tick.
constexpr std::uint64_t kBytesBetweenLooks = 16 * kMegabyte;

}  // namespace

Store::Impl::Impl(const StoreOptions& options)
    : options_(options),
      tick_(options.hooks ? options.hooks->tick : internal::Hooks{}.tick),
      cache_(internal::make_block_cache(options.block_cache_bytes)) {
    if (options_.in_memory) {
        database_->env.reset(rocksdb::NewMemEnv(rocksdb::Env::Default()));
        // Errors only say that it exists.
        database_->env->CreateDirIfMissing(kMemoryPath).PermitUncheckedError();
        open_in_memory();
        return;
    }
    slabs_ = std::make_shared<internal::SlabPool>();
    write_options_.sync = options_.durability == Durability::kFsync;
    make_env();
    directory_.emplace(options_.directory);
    auto mark = internal::HighWaterMarkFile::load(directory_->mark());
    if (!mark && !std::filesystem::exists(directory_->database())) {
        // Before there is a database: one without a mark then always means that a mark was lost.
        write_mark(false, true);
        mark = HighWaterMark{};
    }
    if (!open_database(mark)) {
        set_mode(Mode::kDiskFull, "the disk is full");
    }
    write_mark(false, true);
    check_disk();
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Store::Impl::~Impl() {
    watcher_.request_stop();
    if (watcher_.joinable()) {
        watcher_.join();
    }
    const bool flushed = flush().has_value();
    if (directory_) {
        write_mark(flushed, true);
    }
}

void Store::Impl::make_env() {
    auto files = options_.hooks ? options_.hooks->file_system : nullptr;
    if (write_options_.sync) {
        files = internal::make_roomy_logs(
            files ? files : rocksdb::FileSystem::Default(),
            options_.hooks ? options_.hooks->log_room : internal::LogRoom{}
        );
    }
    if (files) {
        database_->env = rocksdb::NewCompositeEnv(files);
    }
}

rocksdb::Options Store::Impl::rocksdb_options() {
    rocksdb::Env* env = database_->env ? database_->env.get() : rocksdb::Env::Default();
    auto rocks = internal::make_rocksdb_options(env, cache_, slabs_);
    background_ = std::make_shared<internal::BackgroundState>();
    rocks.listeners.push_back(background_);
    return rocks;
}

void Store::Impl::open_in_memory() {
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::Open(rocksdb_options(), kMemoryPath, &db);
    if (!status.ok()) {
        throw StoreOpenError(StoreOpenError::kOther, status.ToString());
    }
    database_->db.reset(db);
}

bool Store::Impl::open_database(const std::optional<HighWaterMark>& mark) {
    auto recovered = internal::recover_database(
        {directory_->database(), rocksdb_options(), mark, options_.accept_data_loss}
    );
    database_->db = std::move(recovered.db);
    if (!recovered.read_only) {
        // RocksDB ends a recovery by flushing what it read from the logs.
        flushed_sequence_.store(database_->db->GetLatestSequenceNumber());
    }
    return !recovered.read_only;
}

// RocksDB does not recover from a full disk by itself; closed and opened it does.
void Store::Impl::reopen_database() {
    const std::lock_guard lock(write_mutex_);
    if (!database_->gate.close(kReaderLimit)) {
        return;
    }
    const auto mark = current_mark();
    database_->db.reset();
    // What was refused when the disk was full may be there now.
    rows_.forget_all();
    try {
        tidying_.start_over();
        if (open_database(mark)) {
            set_mode(Mode::kOk, "");
            log_info("database opened again after a full disk");
        }
    } catch (const StoreOpenError& error) {
        set_mode(Mode::kFailed, error.what());
    }
    database_->gate.open();
}

Result<void> Store::Impl::write(WriteBatch::Impl& batch, WriteClass write_class) {
    const std::lock_guard lock(write_mutex_);
    GATELEG_TRY(check_mode(write_class));
    const internal::RowCache::Write under_way(rows_, batch.touched);
    const auto status = database_->db->Write(write_options_, &batch.batch);
    if (!status.ok()) {
        return note_failure("write", status);
    }
    bytes_since_look_ += batch.batch.GetDataSize();
    if (bytes_since_look_ >= kBytesBetweenLooks) {
        bytes_since_look_ = 0;
        look_now_.store(true);
        watch_wake_.notify_one();
    }
    return {};
}

Result<void> Store::Impl::flush() {
    const std::lock_guard lock(write_mutex_);
    GATELEG_TRY(check_mode(WriteClass::kShrinks));
    const std::uint64_t sequence = database_->db->GetLatestSequenceNumber();
    const auto status = database_->db->Flush(rocksdb::FlushOptions());
    if (!status.ok()) {
        return note_failure("flush", status);
    }
    flushed_sequence_.store(sequence);
    if (directory_) {
        write_mark(false, true);
    }
    return {};
}

Health Store::Impl::health() const {
    switch (mode_.load()) {
        case Mode::kOk:
            return Health::kOk;
        case Mode::kDiskLow:
        case Mode::kDiskFull:
            return Health::kDiskLow;
        case Mode::kFailed:
            return Health::kFailed;
    }
    return Health::kFailed;
}

std::string Store::Impl::health_reason() const {
    const std::lock_guard lock(reason_mutex_);
    return reason_;
}

Result<void> Store::Impl::check_mode(WriteClass write_class) const {
    switch (mode_.load()) {
        case Mode::kOk:
            return {};
        case Mode::kDiskLow:
            if (write_class == WriteClass::kShrinks) {
                return {};
            }
            return service_unavailable("The disk of the server is almost full");
        case Mode::kDiskFull:
            return service_unavailable("The disk of the server is full");
        case Mode::kFailed:
            break;
    }
    // Not internal_error(): the cause was logged once, when it happened.
    return Error{ErrorCode::kInternal, "Internal server error"};
}

Error Store::Impl::note_failure(const char* doing, const rocksdb::Status& status) {
    if (status.IsNoSpace()) {
        set_mode(Mode::kDiskFull, "the disk is full");
    } else {
        // After a failed sync nobody knows which writes the disk has; trying again would only hide
        // it. A restart reads what is there.
        set_mode(Mode::kFailed, std::string(doing) + ": " + status.ToString());
    }
    return to_error(doing, status);
}

void Store::Impl::set_mode(Mode mode, const std::string& reason) {
    {
        const std::lock_guard lock(reason_mutex_);
        if (mode_.load() == Mode::kFailed) {
            return;
        }
        mode_.store(mode);
        reason_ = reason;
    }
    if (mode == Mode::kFailed) {
        log_error("store stopped taking writes", {{"reason", reason}});
        if (options_.on_failed) {
            options_.on_failed(reason);
        }
    } else if (mode != Mode::kOk) {
        log_warn("writes refused", {{"reason", reason}});
    }
}

void Store::Impl::watch(const std::stop_token& stop) {
    std::unique_lock lock(watch_mutex_);
    while (!stop.stop_requested()) {
        watch_wake_.wait_for(lock, stop, tick_, [this] { return look_now_.exchange(false); });
        if (stop.stop_requested()) {
            return;
        }
        check_background();
        check_disk();
        write_mark_if_moved();
        if (mode_.load() == Mode::kOk) {
            tidying_.look(*database_->db, tick_);
        }
        slabs_->trim();
    }
}

void Store::Impl::check_background() {
    const auto failure = background_->failure();
    if (!failure.empty() && mode_.load() != Mode::kFailed) {
        set_mode(Mode::kFailed, failure);
    } else if (background_->disk_full() && mode_.load() <= Mode::kDiskLow) {
        set_mode(Mode::kDiskFull, "the disk is full");
    }
}

void Store::Impl::check_disk() {
    const auto space = disk_space();
    const auto limit = watermark(space);
    if (mode_.load() == Mode::kDiskFull) {
        if (ticks_to_next_reopen_ > 0) {
            --ticks_to_next_reopen_;
        } else if (space.free_bytes >= std::min(limit / 4, 64 * kMegabyte)) {
            ticks_to_next_reopen_ = kTicksBetweenReopens;
            reopen_database();
        }
    }
    if (space.free_bytes < limit && mode_.load() == Mode::kOk) {
        set_mode(
            Mode::kDiskLow,
            "the disk has " + std::to_string(space.free_bytes / kMegabyte) +
                " MB left, less than " + std::to_string(limit / kMegabyte) + " MB"
        );
    } else if (space.free_bytes >= limit && mode_.load() == Mode::kDiskLow) {
        set_mode(Mode::kOk, "");
        log_info("writes accepted again");
    }
}

DiskSpace Store::Impl::disk_space() const {
    if (options_.hooks && options_.hooks->disk_space) {
        return options_.hooks->disk_space();
    }
    struct statvfs status {};
    if (::statvfs(options_.directory.c_str(), &status) != 0) {
        // No answer is no reason to refuse writes: RocksDB will meet a full disk by itself.
        return {UINT64_MAX, 0};
    }
    return {
        std::uint64_t{status.f_bavail} * status.f_frsize,
        std::uint64_t{status.f_blocks} * status.f_frsize};
}

std::uint64_t Store::Impl::watermark(const DiskSpace& space) const {
    if (options_.min_free_bytes != 0) {
        return options_.min_free_bytes;
    }
    const auto wanted = std::clamp(space.total_bytes / 20, 256 * kMegabyte, 4096 * kMegabyte);
    return std::min(wanted, space.total_bytes / 4);
}

HighWaterMark Store::Impl::current_mark() const {
    HighWaterMark mark;
    mark.durability = options_.durability;
    mark.boot_id = boot_id_;
    if (database_->db != nullptr) {
        // With fsync a write has a visible number only when its log is synced.
        mark.acknowledged = database_->db->GetLatestSequenceNumber();
        mark.on_disk = options_.durability == Durability::kFsync
                           ? mark.acknowledged
                           : std::max(flushed_sequence_.load(), background_->flushed_sequence());
    }
    return mark;
}

void Store::Impl::write_mark(bool clean, bool sync) {
    const std::lock_guard lock(mark_mutex_);
    auto mark = current_mark();
    mark.clean = clean;
    bool written = true;
    try {
        if (mark_file_) {
            written = mark_file_->write(mark, sync);
        } else {
            mark_file_.emplace(directory_->mark(), mark);
        }
    } catch (const std::filesystem::filesystem_error&) {
        written = false;
    }
    if (!written) {
        log_warn("the high-water mark could not be written");
        return;
    }
    written_mark_ = mark;
}

void Store::Impl::write_mark_if_moved() {
    const auto mark = current_mark();
    {
        const std::lock_guard lock(mark_mutex_);
        if (mark_file_ && mark.acknowledged == written_mark_.acknowledged &&
            mark.on_disk == written_mark_.on_disk) {
            return;
        }
    }
    write_mark(false, options_.durability == Durability::kFsync);
}

}  // namespace gateleg::storage

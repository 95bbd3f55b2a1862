// What RocksDB's background threads report, for the store's monitor to pick up.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include <rocksdb/listener.h>

namespace gateleg::storage::internal {

// Thread-safe. Shared with RocksDB, since cursors may keep the database open past the store.
class BackgroundState final : public rocksdb::EventListener {
public:
    // Every write up to this one is in sorted, synced files.
    std::uint64_t flushed_sequence() const { return flushed_sequence_.load(); }
    bool disk_full() const { return disk_full_.load(); }
    // Empty unless RocksDB has stopped taking writes for good.
    std::string failure() const {
        const std::lock_guard lock(mutex_);
        return failure_;
    }

    void OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& info) override {
        flushed_sequence_.store(info.largest_seqno);
    }
    void OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status* error)
        override {
        if (error->IsNoSpace()) {
            disk_full_.store(true);
        } else if (error->severity() >= rocksdb::Status::Severity::kFatalError) {
            const std::lock_guard lock(mutex_);
            failure_ = error->ToString();
        }
    }
    // The store opens the database again itself; RocksDB's own attempts do not come to an end.
    void OnErrorRecoveryBegin(
        rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/, bool* auto_recovery
    ) override {
        *auto_recovery = false;
    }

private:
    std::atomic<std::uint64_t> flushed_sequence_{0};
    std::atomic<bool> disk_full_{false};
    mutable std::mutex mutex_;
    std::string failure_;
};

}  // namespace gateleg::storage::internal

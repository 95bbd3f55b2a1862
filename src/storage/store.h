// The ordered key-value store under the engine: RocksDB, with an open that hides no damage and
// writes that survive what they promise to survive. It knows nothing of tables or items.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/cursor.h"
#include "storage/early_read.h"
#include "storage/write_batch.h"

namespace gateleg::storage {

namespace internal {
struct Hooks;
}

// When a write is acknowledged. Written to disk: append only, never renumber.
enum class Durability : std::uint8_t {
    kFsync,    // it is on the disk
    kProcess,  // the kernel has it: survives a killed process, not a power cut
};

struct StoreOptions {
    std::filesystem::path directory;  // ignored when in_memory
    bool in_memory = false;
    Durability durability = Durability::kFsync;
    std::size_t block_cache_bytes = std::size_t{256} << 20;
    // The operator has read what the last open refused and takes the loss.
    bool accept_data_loss = false;
    // Below this, writes that grow the store are refused. 0: 5 % of the disk, at least 256 MB and
    // at most 4 GB, but never more than a quarter of the disk.
    std::uint64_t min_free_bytes = 0;
    // Called once, from any thread, when the store enters Health::kFailed. It must not call back.
    std::function<void(const std::string& reason)> on_failed;
    // For tests of this module.
    std::shared_ptr<const internal::Hooks> hooks;
};

// Why a store did not open; the message is for the operator and names file and remedy.
class StoreOpenError : public std::runtime_error {
public:
    static constexpr int kOther = 2;
    static constexpr int kDamaged = 3;      // opening would lose acknowledged data silently
    static constexpr int kNewerFormat = 4;  // written by a newer release; nothing was touched

    StoreOpenError(int exit_code, const std::string& message)
        : std::runtime_error(message), exit_code_(exit_code) {}
    // What the process should exit with.
    int exit_code() const { return exit_code_; }

private:
    int exit_code_;
};

// Whether a batch needs room. Batches of deletes still pass while the disk is low.
enum class WriteClass : std::uint8_t { kMayGrow, kShrinks };

enum class Health : std::uint8_t {
    kOk,
    kDiskLow,  // reads and deletes go on, other writes are refused; ends by itself with free space
    kFailed,   // fail-stop: reads go on, writes do not until the process is restarted
};

struct StoreFigures {
    std::uint64_t disk_bytes = 0;
    std::uint64_t memtable_bytes = 0;
    std::uint64_t cache_bytes = 0;
    std::uint64_t pending_compaction_bytes = 0;
    std::uint64_t running_compactions = 0;
    std::uint64_t running_flushes = 0;
    bool writes_stopped = false;  // until compaction has caught up
};

// Thread-safe; write() and flush() exclude each other, so one writer at a time makes progress.
// When space is back after a full disk, the database is closed and opened again underneath. That
// waits for cursors and snapshots to go, and readers that come meanwhile wait for it.
class Store {
public:
    // Throws StoreOpenError.
    static std::unique_ptr<Store> open(const StoreOptions& options);
    // A clean stop: flushes, so that the next open has nothing to replay.
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // False, with `value` unspecified, if there is no such key.
    Result<bool> get(std::string_view key, std::string& value, const Snapshot* snapshot = nullptr)
        const;
    // As get(), and keeps the row in memory for the next who asks.
    Result<bool> get_and_keep(std::string_view key, std::string& value) const;
    // As get(), for a write that is decided later: by then is_newest() tells, to the thread that
    // writes, whether the row still is what was read. Never for a row of more than `most_bytes`,
    // which is not held until then.
    Result<EarlyRead> get_early(std::string_view key, std::string& value, std::size_t most_bytes)
        const;
    bool is_newest(std::string_view key, const EarlyRead& early) const;
    std::unique_ptr<Cursor> cursor(CursorOptions options) const;
    std::shared_ptr<const Snapshot> snapshot() const;

    // Durable as configured, and visible, when it returns. kServiceUnavailable: the disk is low,
    // and nothing was written, unless the disk filled up during the write. kInternal: the outcome
    // of this write is unknown until a restart, and every later one is refused.
    Result<void> write(WriteBatch& batch, WriteClass write_class = WriteClass::kMayGrow);

    // Everything written so far goes from memory and log to sorted files.
    Result<void> flush();
    // Reads every block of every file. Slow, for background scrubbing.
    Result<void> verify_checksums() const;

    // Whether write() waits for a disk: never in memory.
    bool syncs() const;
    Health health() const;
    // Empty when health() is kOk.
    std::string health_reason() const;
    // Grows with every write, also over restarts.
    std::uint64_t last_sequence() const;
    // Sorted files and logs, about.
    std::uint64_t disk_bytes() const;
    // What the storage library is busy with; cheap enough for each second.
    StoreFigures figures() const;

private:
    class Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace gateleg::storage

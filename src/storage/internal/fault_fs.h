// A file system that fails on demand, for tests.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <rocksdb/file_system.h>

namespace gateleg::storage::internal {

// What RocksDB asks of a disk.
enum class DiskCall : std::uint8_t {
    kAppend,
    kSync,  // of a file, with Fsync and RangeSync
    kFlush,
    kClose,
    kCreate,
    kRename,
    kDelete,
    kDirectorySync,
    kRead,
};
inline constexpr std::array<const char*, 9> kDiskCallNames = {
    "append", "sync", "flush", "close", "create", "rename", "delete", "directory_sync", "read"};

enum class DiskFault : std::uint8_t {
    kError,
    kNoSpace,
    kShortWrite,  // half of an append has come through
};

// What to fail, and how often it happened: a test whose fault never fired proves nothing.
struct Faults {
    // Writes fail for want of space, after half of the data where there is any.
    std::atomic<bool> no_space{false};
    // Counts down with each sync of a log; the one that reaches 0 fails. Negative: none.
    std::atomic<int> log_syncs_until_error{-1};
    // The same for calls of one kind.
    std::atomic<DiskCall> failing{DiskCall::kAppend};
    std::atomic<int> calls_until_error{-1};
    std::atomic<DiskFault> fault{DiskFault::kError};
    std::atomic<int> fired{0};
    // How many calls of each kind have come.
    std::array<std::atomic<int>, kDiskCallNames.size()> calls{};

    // What this call is to answer.
    rocksdb::IOStatus next(DiskCall call);
};

// The real file system, but for `faults`.
std::shared_ptr<rocksdb::FileSystem> make_fault_fs(std::shared_ptr<Faults> faults);

}  // namespace gateleg::storage::internal

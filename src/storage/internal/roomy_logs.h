// Logs that have their room before they need it: while RocksDB appends, a thread writes zeros ahead
// of it. A sync then has only to write data into blocks that are the file's already; in a file that
// grows, it has to wait for the file system's journal as well, which takes as long again.
//
// A log that was closed ends where its last record does. One that was not, after a kill, ends in
// zeros, which are no record to RocksDB and no damage to the scan (wal_scan.h).
// docs/adr/0032-logs-with-room-ahead.md.

#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/file_system.h>

namespace gateleg::storage::internal {

// In bytes; `ahead` and `step` are multiples of a page.
struct LogRoom {
    // A shorter log gets none: most servers never write fast enough for it to matter.
    std::uint64_t from = 256 * 1024;
    // Nor does one with more than this from one sync to the next: to write it twice would take
    // longer than the journal does.
    std::uint64_t most = 128 * 1024;
    // So much lies ahead, but no more than the log is long, when the thread has done its work; it
    // is woken when half of it is used.
    std::uint64_t ahead = 4 * 1024 * 1024;
    // Written and synced in one go.
    std::uint64_t step = 256 * 1024;
};

// Gives files called *.log room and hands everything on to `below`, which must keep files where the
// kernel does. Thread-safe.
std::shared_ptr<rocksdb::FileSystem> make_roomy_logs(
    std::shared_ptr<rocksdb::FileSystem> below, LogRoom room = {}
);

}  // namespace gateleg::storage::internal

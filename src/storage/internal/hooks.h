// What tests replace underneath the store: the file system, the disk's size, the pace of time.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include <rocksdb/file_system.h>

#include "storage/internal/roomy_logs.h"

namespace gateleg::storage::internal {

struct DiskSpace {
    std::uint64_t free_bytes = 0;
    std::uint64_t total_bytes = 0;
};

struct Hooks {
    std::shared_ptr<rocksdb::FileSystem> file_system;  // null: the real one
    std::function<DiskSpace()> disk_space;             // empty: ask the real disk
    std::chrono::milliseconds tick{1000};
    LogRoom log_room;
};

}  // namespace gateleg::storage::internal

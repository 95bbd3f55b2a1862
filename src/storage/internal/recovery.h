// Opens the database so that no acknowledged write goes missing unsaid.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "storage/internal/high_water_mark.h"

namespace gateleg::storage::internal {

struct RecoveryRequest {
    std::filesystem::path database;
    rocksdb::Options options;
    // None: the file is missing or damaged.
    std::optional<HighWaterMark> mark;
    bool accept_data_loss = false;
};

struct RecoveredDatabase {
    std::unique_ptr<rocksdb::DB> db;
    // The disk is too full to open it for writing.
    bool read_only = false;
};

// Throws StoreOpenError. What it refuses it leaves as it was, except where only RocksDB's own open
// can tell.
RecoveredDatabase recover_database(const RecoveryRequest& request);

}  // namespace gateleg::storage::internal

// The open RocksDB handle, shared by the store and by the cursors and snapshots on it.

#pragma once

#include <memory>

#include <rocksdb/db.h>

#include "storage/internal/reader_gate.h"

namespace gateleg::storage::internal {

// `db` may be used with a pass of `gate`, or under the store's write lock. It is null when the last
// attempt to open it again failed.
struct Database {
    // Destroyed after the database that uses it.
    std::unique_ptr<rocksdb::Env> env;
    std::unique_ptr<rocksdb::DB> db;
    ReaderGate gate;
};

}  // namespace gateleg::storage::internal

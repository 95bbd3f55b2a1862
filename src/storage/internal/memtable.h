// The table in memory that RocksDB writes into and searches first: a skip list, as RocksDB's own,
// that keeps the beginning of each key where a search looks for it.
//
// Nearly every step of a search is then decided by two machine words, without a call and without a
// look at the key. docs/adr/0022-own-memtable.md.

#pragma once

#include <memory>

#include <rocksdb/memtablerep.h>

#include "storage/internal/slabs.h"

namespace gateleg::storage::internal {

// For one writer at a time, beside any number of readers, and for keys in the order of their bytes.
// Memory comes from `slabs` first, if there is such a pool.
std::shared_ptr<rocksdb::MemTableRepFactory> make_memtable_factory(
    std::shared_ptr<SlabPool> slabs = nullptr
);

}  // namespace gateleg::storage::internal

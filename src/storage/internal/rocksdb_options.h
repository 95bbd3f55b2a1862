// RocksDB's settings, in one place.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <rocksdb/cache.h>
#include <rocksdb/options.h>

#include "storage/internal/slabs.h"

namespace gateleg::storage::internal {

// So many young files are merged while there are writes; Tidying merges fewer.
inline constexpr int kUsualYoungFiles = 4;

// The logarithm of how many parts a cache of blocks has. Each has a lock of its own, and room for
// several of the largest blocks: the index of a file of 64 MB takes about one megabyte. Where a few
// of them meet in a part that is too small, they drive each other out, and then every other read
// fetches one anew.
int cache_shard_bits(std::size_t cache_bytes);

std::shared_ptr<rocksdb::Cache> make_block_cache(std::size_t cache_bytes);

// How files of each level are packed while there are writes, as RocksDB writes such options; the
// last stands for all that follow. Tidying packs better.
std::string usual_compression();

rocksdb::Options make_rocksdb_options(
    rocksdb::Env* env,
    std::shared_ptr<rocksdb::Cache> cache,
    std::shared_ptr<SlabPool> slabs = nullptr
);

}  // namespace gateleg::storage::internal

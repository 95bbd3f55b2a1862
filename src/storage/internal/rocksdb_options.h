// RocksDB's settings, in one place.

#pragma once

#include <rocksdb/options.h>

#include "storage/store.h"

namespace gateleg::storage::internal {

// So many young files are merged while there are writes; Tidying merges fewer.
inline constexpr int kUsualYoungFiles = 4;

rocksdb::Options make_rocksdb_options(const StoreOptions& options, rocksdb::Env* env);

}  // namespace gateleg::storage::internal

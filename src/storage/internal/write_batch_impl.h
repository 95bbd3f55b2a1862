#pragma once

#include <rocksdb/write_batch.h>

#include "storage/internal/row_cache.h"
#include "storage/write_batch.h"

namespace gateleg::storage {

struct WriteBatch::Impl {
    rocksdb::WriteBatch batch;
    internal::RowCache::Touched touched;
};

}  // namespace gateleg::storage

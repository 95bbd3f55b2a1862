#pragma once

#include <rocksdb/write_batch.h>

#include "storage/write_batch.h"

namespace gateleg::storage {

struct WriteBatch::Impl {
    rocksdb::WriteBatch batch;
};

}  // namespace gateleg::storage

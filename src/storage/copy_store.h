// Copies a store, as it is at one moment, into another; the original goes on taking writes.

#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "storage/store.h"

namespace gateleg::storage {

struct CopyTotals {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
};

// Asked after each piece with what has been copied so far; false ends the copy.
using CopyProgress = std::function<bool(const CopyTotals&)>;

// `to` is empty. Everything is durable, has been read back and compared when it returns. Fails with
// kServiceUnavailable if it was ended. A snapshot is held all the while.
Result<CopyTotals> copy_store(const Store& from, Store& to, const CopyProgress& progress);

}  // namespace gateleg::storage

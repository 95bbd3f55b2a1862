// The one place where a rocksdb::Status becomes an Error.

#pragma once

#include <string_view>

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "base/result.h"

namespace gateleg::storage::internal {

inline rocksdb::Slice to_slice(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}
inline std::string_view to_view(const rocksdb::Slice& slice) {
    return {slice.data(), slice.size()};
}

// The cause goes to the log; the client learns no path and no text of it.
Error to_error(std::string_view doing, const rocksdb::Status& status);
Result<void> to_result(std::string_view doing, const rocksdb::Status& status);

}  // namespace gateleg::storage::internal

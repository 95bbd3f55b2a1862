#include "storage/internal/rocksdb_status.h"

#include <string>

namespace gateleg::storage::internal {

Error to_error(std::string_view doing, const rocksdb::Status& status) {
    if (status.IsNoSpace()) {
        return service_unavailable("The disk of the server is full");
    }
    return internal_error(std::string(doing) + ": " + status.ToString());
}

Result<void> to_result(std::string_view doing, const rocksdb::Status& status) {
    if (status.ok()) {
        return {};
    }
    return to_error(doing, status);
}

}  // namespace gateleg::storage::internal

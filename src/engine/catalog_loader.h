// Reads all table definitions, streams and counts from the store.

#pragma once

#include <memory>

#include "base/result.h"
#include "engine/commit_context.h"
#include "engine/table.h"
#include "storage/store.h"

namespace gateleg::engine {

struct LoadedCatalog {
    std::shared_ptr<const Catalog> catalog;
    CountsByTable counts;
    Sequence last_sequence = 0;
};

Result<LoadedCatalog> load_catalog(const storage::Store& store);

}  // namespace gateleg::engine

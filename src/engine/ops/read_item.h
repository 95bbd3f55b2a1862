// Reading single items by key: GetItem, BatchGetItem and TransactGetItems.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dynamo/requests.h"
#include "expr/cache.h"
#include "expr/projection.h"
#include "expr/scope.h"
#include "storage/store.h"

namespace gateleg::engine::ops {

// Reads items through one projection. Refers to the request it was made from.
class ItemReader {
public:
    ItemReader(
        const std::optional<std::string>& projection, const dynamo::Placeholders& placeholders
    )
        : projection_text_(projection), placeholders_(placeholders) {}

    Result<void> compile(expr::Cache& cache);

    struct Found {
        std::optional<value::EncodedItem> item;
        std::size_t size = 0;  // of the whole item, which is what a read costs
    };
    // `measure`: whether the caller looks at the size, which takes a walk over the item.
    Result<Found> read(
        const storage::Store& store,
        std::string_view key,
        const storage::Snapshot* snapshot,
        bool measure = true
    ) const;

private:
    const std::optional<std::string>& projection_text_;
    const dynamo::Placeholders& placeholders_;
    std::optional<expr::Scope> scope_;
    std::optional<expr::Projection> projection_;
};

}  // namespace gateleg::engine::ops

#include "engine/ops/item_write.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {

void delete_item(
    const Core& core, dynamo::DeleteItemRequest request, Done<dynamo::DeleteItemRequest> done
) {
    run_item_write(
        core,
        {.kind = WriteKind::kDelete,
         .write = std::move(request.write),
         .options = request.options,
         .item = std::move(request.key)},
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

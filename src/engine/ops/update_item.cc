#include "engine/ops/item_write.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {

void update_item(
    const Core& core, dynamo::UpdateItemRequest request, Done<dynamo::UpdateItemRequest> done
) {
    run_item_write(
        core,
        {.kind = WriteKind::kUpdate,
         .write = std::move(request.write),
         .options = request.options,
         .item = std::move(request.key),
         .update = std::move(request.update)},
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

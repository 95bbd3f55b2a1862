#include "engine/ops/item_write.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {

void put_item(const Core& core, dynamo::PutItemRequest request, Done<dynamo::PutItemRequest> done) {
    run_item_write(
        core,
        {.kind = WriteKind::kPut,
         .write = std::move(request.write),
         .options = request.options,
         .item = std::move(request.item)},
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

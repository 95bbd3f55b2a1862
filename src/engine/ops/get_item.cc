#include "engine/capacity.h"
#include "engine/item_writer.h"
#include "engine/key_check.h"
#include "engine/keyspace.h"
#include "engine/ops/operations.h"
#include "engine/ops/read_item.h"
#include "value/item_size.h"

namespace gateleg::engine::ops {
namespace {

Result<dynamo::GetItemReply> run(const Core& core, const dynamo::GetItemRequest& request) {
    ItemReader reader(request.projection, request.placeholders);
    GATELEG_TRY(reader.compile(core.expressions));
    GATELEG_TRY_ASSIGN(const auto table, core.get_table(request.table));
    GATELEG_TRY(check_key(*table, request.key.view()));
    const bool priced = request.return_capacity != dynamo::ReturnCapacity::kNone;
    const auto key = item_key(*table, request.key.view());
    core.hot_keys.count(key, Access::kRead);
    GATELEG_TRY_ASSIGN(auto found, reader.read(core.store, key, nullptr, priced));
    dynamo::GetItemReply reply{.item = std::move(found.item)};
    if (priced) {
        const WriteCost cost{.table = read_units(found.size, request.consistent_read)};
        reply.capacity = consumed(request.table, cost, request.return_capacity);
    }
    return reply;
}

}  // namespace

void get_item(const Core& core, dynamo::GetItemRequest request, Done<dynamo::GetItemRequest> done) {
    done(run(core, request));
}

}  // namespace gateleg::engine::ops

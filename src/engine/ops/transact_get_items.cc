#include <map>
#include <set>

#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/keyspace.h"
#include "engine/limits.h"
#include "engine/ops/cancellation.h"
#include "engine/ops/operations.h"
#include "engine/ops/read_item.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::TransactGetItemsRequest;
using Reply = dynamo::TransactGetItemsReply;

Result<Reply> run(const Core& core, const Request& request) {
    std::vector<std::unique_ptr<ItemReader>> readers;
    for (const auto& get : request.gets) {
        readers.push_back(std::make_unique<ItemReader>(get.projection, get.placeholders));
        GATELEG_TRY(readers.back()->compile(core.expressions));
    }
    Cancellation cancellation(request.gets.size());
    std::vector<std::string> keys;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < request.gets.size(); ++i) {
        const auto& get = request.gets[i];
        GATELEG_TRY_ASSIGN(const auto table, core.get_table(get.table));
        if (auto checked = check_key(*table, get.key.view()); !checked) {
            cancellation.add(i, checked.error());
            keys.emplace_back();
            continue;
        }
        keys.push_back(item_key(*table, get.key.view()));
        if (!seen.insert(keys.back()).second) {
            return validation_error(
                "Transaction request cannot include multiple operations on one item"
            );
        }
    }
    if (cancellation.any()) {
        return std::move(cancellation).error();
    }

    // One snapshot for all: the items as they were at one moment.
    const auto snapshot = core.store.snapshot();
    Reply reply;
    std::map<std::string, WriteCost> cost;
    std::size_t total_bytes = 0;
    for (std::size_t i = 0; i < request.gets.size(); ++i) {
        core.hot_keys.count(keys[i], Access::kRead);
        GATELEG_TRY_ASSIGN(auto found, readers[i]->read(core.store, keys[i], snapshot.get()));
        cost[request.gets[i].table].table += 2 * read_units(found.size, true);
        total_bytes += found.size;
        reply.items.push_back(std::move(found.item));
    }
    if (total_bytes > kMaxTransactionBytes) {
        return validation_error(
            "Aggregated size of items in the transaction cannot exceed 4194304 bytes"
        );
    }
    if (request.return_capacity != dynamo::ReturnCapacity::kNone) {
        for (const auto& [table, units] : cost) {
            reply.capacity.push_back(consumed(
                table, units, request.return_capacity, dynamo::ConsumedCapacity::Kind::kTransactRead
            ));
        }
    }
    return reply;
}

}  // namespace

void transact_get_items(const Core& core, Request request, Done<Request> done) {
    done(run(core, request));
}

}  // namespace gateleg::engine::ops

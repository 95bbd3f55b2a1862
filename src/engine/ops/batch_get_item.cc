#include <set>

#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/keyspace.h"
#include "engine/limits.h"
#include "engine/ops/operations.h"
#include "engine/ops/read_item.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::BatchGetItemRequest;
using Reply = dynamo::BatchGetItemReply;

// One table of the request, ready to be read.
struct TableRead {
    std::shared_ptr<const Table> table;
    std::unique_ptr<ItemReader> reader;
    std::vector<std::string> keys;
};

Result<TableRead> prepare(const Core& core, const dynamo::KeysAndAttributes& wanted) {
    TableRead read;
    read.reader = std::make_unique<ItemReader>(wanted.projection, wanted.placeholders);
    GATELEG_TRY(read.reader->compile(core.expressions));
    GATELEG_TRY_ASSIGN(read.table, core.get_table(wanted.table));
    std::set<std::string> seen;
    for (const auto& key : wanted.keys) {
        GATELEG_TRY(check_key(*read.table, key.view()));
        read.keys.push_back(item_key(*read.table, key.view()));
        if (!seen.insert(read.keys.back()).second) {
            return validation_error("Provided list of item keys contains duplicates");
        }
    }
    return read;
}

// Reads the table's keys until an item no longer has room in the reply; that one and what is left
// are given back as unprocessed.
Result<void> read_table(
    const Core& core,
    const Request& request,
    const dynamo::KeysAndAttributes& wanted,
    const TableRead& read,
    std::size_t& room,
    Reply& reply
) {
    Reply::Table found{.name = wanted.table};
    dynamo::KeysAndAttributes left;
    WriteCost cost;
    for (std::size_t i = 0; i < read.keys.size(); ++i) {
        if (room == 0) {
            left.keys.push_back(wanted.keys[i]);
            continue;
        }
        core.hot_keys.count(read.keys[i], Access::kRead);
        GATELEG_TRY_ASSIGN(auto item, read.reader->read(core.store, read.keys[i], nullptr));
        if (item.size > room) {
            room = 0;
            left.keys.push_back(wanted.keys[i]);
            continue;
        }
        cost.table += read_units(item.size, wanted.consistent_read);
        room -= item.size;
        if (item.item) {
            found.items.bytes_for_next().append(item.item->bytes());
        }
    }
    reply.tables.push_back(std::move(found));
    if (!left.keys.empty()) {
        left.table = wanted.table;
        left.projection = wanted.projection;
        left.placeholders = wanted.placeholders;
        left.consistent_read = wanted.consistent_read;
        reply.unprocessed.push_back(std::move(left));
    }
    if (request.return_capacity != dynamo::ReturnCapacity::kNone) {
        reply.capacity.push_back(consumed(wanted.table, cost, request.return_capacity));
    }
    return {};
}

Result<Reply> run(const Core& core, const Request& request) {
    std::vector<TableRead> reads;
    for (const auto& wanted : request.tables) {
        GATELEG_TRY_ASSIGN(auto read, prepare(core, wanted));
        reads.push_back(std::move(read));
    }
    Reply reply;
    std::size_t room = kMaxBatchGetBytes;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        GATELEG_TRY(read_table(core, request, request.tables[i], reads[i], room, reply));
    }
    return reply;
}

}  // namespace

void batch_get_item(const Core& core, Request request, Done<Request> done) {
    done(run(core, request));
}

}  // namespace gateleg::engine::ops

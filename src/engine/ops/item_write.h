// The single-item writes share one shape: an ItemWriter on the commit thread, then a reply.

#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "dynamo/dynamo.h"
#include "engine/core.h"
#include "engine/item_writer.h"

namespace gateleg::engine::ops {

using ItemWriteDone = UniqueFunction<void(Result<dynamo::ItemWriteReply>)>;

struct ItemWriteCall {
    WriteKind kind = WriteKind::kPut;
    dynamo::ItemWrite write;
    dynamo::ItemWriteOptions options;
    value::EncodedItem item;
    std::optional<std::string> update = std::nullopt;
};

void run_item_write(const Core& core, ItemWriteCall call, ItemWriteDone done);

// Metrics of the item collection that the item belongs to; none without local indexes.
std::optional<dynamo::ItemCollectionMetrics> collection_metrics(
    const Table& table, value::ValueView item
);

using CollectionMetricsByTable =
    std::vector<std::pair<std::string, std::vector<dynamo::ItemCollectionMetrics>>>;
// The same for many writes, by table.
CollectionMetricsByTable all_collection_metrics(const std::deque<ItemWriter>& writers);

}  // namespace gateleg::engine::ops

// Writes one item together with everything that depends on it: index entries, the time-to-live
// entry, the stream's record and the counts. All go into the item's own batch, so an index is never
// behind its table.

#pragma once

#include <optional>
#include <string_view>

#include "engine/capacity.h"
#include "engine/commit_context.h"
#include "engine/table.h"
#include "value/value_view.h"

namespace gateleg::engine {

struct ItemChange {
    const Table& table;
    std::string_view key;  // as item_key() gives it
    std::optional<value::ValueView> before;
    std::optional<value::ValueView> after;
    std::optional<std::size_t> size_after = std::nullopt;  // when it is known already
    bool expired = false;  // deleted because its time to live has ended
};

// What the write costs in DynamoDB's units goes into `cost`, if anybody asks.
void write_item(CommitContext& context, const ItemChange& change, WriteCost* cost = nullptr);

// Puts the entry of an existing item into an index that is being built.
void backfill_entry(
    CommitContext& context,
    const Table& table,
    const Index& index,
    std::string_view key,
    value::ValueView item
);
void backfill_ttl_entry(
    CommitContext& context, const Table& table, std::string_view key, value::ValueView item
);

// Appends what `index` projects of `item`, as a map value.
void append_projection(std::string& out, const Index& index, value::ValueView item);

// The second at which the item's time to live ends, if it has one.
std::optional<std::int64_t> expiry_seconds(const Table& table, value::ValueView item);

}  // namespace gateleg::engine

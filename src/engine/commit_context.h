// What one batch of writes sees and changes: the newest state of the store plus what the batch has
// already decided, and the WriteBatch that will make it durable.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "engine/hot_keys.h"
#include "engine/stream.h"
#include "engine/table.h"
#include "storage/store.h"

namespace gateleg::engine {

// Counts of every table, as of the last batch that is durable.
using CountsByTable = std::map<TableId, TableCounts>;
// How far the backfill of an index has come: entries up to this item key are there.
using BackfillPositions = std::map<std::pair<TableId, IndexId>, std::string>;

// Lives on the commit thread and nowhere else.
class CommitContext {
public:
    CommitContext(
        const storage::Store& store,
        const Clock& clock,
        std::shared_ptr<const Catalog> catalog,
        HotKeys* hot_keys = nullptr
    );

    // A request writes, or would, in the partition that `key` lies in.
    void count_write(std::string_view key) {
        if (hot_keys_ != nullptr) {
            hot_keys_->count(key, Access::kWrite);
        }
    }

    // The newest value under `key`; false if there is none. It is not read again if `early` says
    // that `value` is what was read of it, and it still is the newest.
    Result<bool> get(std::string_view key, std::string& value, const storage::EarlyRead& early = {})
        const;
    void put(std::string_view key, std::string_view value);
    void erase(std::string_view key);

    // Rows that no operation of the same batch reads again: index entries, expiry entries.
    storage::WriteBatch& batch() { return batch_; }
    // False while every row of the batch only takes space away.
    bool may_grow() const { return may_grow_; }
    void note_growth() { may_grow_ = true; }

    const Catalog& catalog() const { return *catalog_; }
    const std::shared_ptr<const Catalog>& shared_catalog() const { return catalog_; }
    void store_table(std::shared_ptr<const Table> table);
    void remove_table(const Table& table);

    void store_stream(std::shared_ptr<const Stream> stream);
    void remove_stream(const Stream& stream);
    // Grows with every call, also over restarts: a number of a failed batch is left out.
    Sequence next_sequence();
    // One time for all that the batch writes.
    std::int64_t batch_millis() const;

    Counts& counts(TableId table, IndexId index);
    void reset_counts(TableId table, IndexId index);

    // True if writes to `item_key` must keep `index` up to date: always, once it is built.
    bool reaches(const Table& table, const Index& index, std::string_view item_key) const;
    bool reaches_ttl(const Table& table, std::string_view item_key) const;
    BackfillPositions& backfill_positions() { return backfill_positions_; }

    // Committer only: starts over for the next batch, and ends one.
    void begin_batch();
    void add_count_rows();
    void add_sequence_row();
    // A stream, or a record of one, has been numbered in this batch.
    bool has_records() const { return sequence_changed_; }
    Sequence last_sequence() const { return last_sequence_; }
    bool has_writes() const { return !batch_.empty(); }
    // After a durable write: brings `durable` up to date with what the batch changed.
    void publish_counts(CountsByTable& durable) const;
    // After a failed write: nothing of the batch happened. Builds of indexes go back with it.
    void roll_back(std::shared_ptr<const Catalog> durable, const CountsByTable& durable_counts);
    void load_counts(const CountsByTable& counts) { counts_ = counts; }
    void load_sequence(Sequence last) { last_sequence_ = std::max(last_sequence_, last); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    bool behind_position(TableId table, IndexId index, std::string_view item_key) const;

    const storage::Store& store_;
    const Clock& clock_;
    std::shared_ptr<const Catalog> catalog_;
    HotKeys* hot_keys_;
    storage::WriteBatch batch_;
    bool may_grow_ = false;
    // What this batch has changed so far; an empty optional is a row taken away.
    std::unordered_map<std::string, std::optional<std::string>, Hash, std::equal_to<>> pending_;
    CountsByTable counts_;
    std::set<TableId> counts_changed_;
    BackfillPositions backfill_positions_;
    BackfillPositions positions_before_batch_;
    Sequence last_sequence_ = 0;
    bool sequence_changed_ = false;
    mutable std::optional<std::int64_t> batch_millis_;
};

}  // namespace gateleg::engine

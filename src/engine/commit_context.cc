#include "engine/commit_context.h"

#include "engine/keyspace.h"

namespace gateleg::engine {

CommitContext::CommitContext(
    const storage::Store& store,
    const Clock& clock,
    std::shared_ptr<const Catalog> catalog,
    HotKeys* hot_keys
)
    : store_(store), clock_(clock), catalog_(std::move(catalog)), hot_keys_(hot_keys) {}

Result<bool> CommitContext::get(
    std::string_view key, std::string& value, const storage::EarlyRead& early
) const {
    const auto pending = pending_.find(key);
    if (pending == pending_.end()) {
        if (store_.is_newest(key, early)) {
            return early.found;
        }
        return store_.get(key, value);
    }
    if (!pending->second) {
        return false;
    }
    value = *pending->second;
    return true;
}

void CommitContext::put(std::string_view key, std::string_view value) {
    batch_.put(key, value);
    may_grow_ = true;
    pending_.insert_or_assign(std::string(key), std::string(value));
}

void CommitContext::erase(std::string_view key) {
    batch_.erase(key);
    pending_.insert_or_assign(std::string(key), std::nullopt);
}

void CommitContext::store_table(std::shared_ptr<const Table> table) {
    batch_.put(table_definition_key(table->name()), encode_table(*table));
    auto changed = std::make_shared<Catalog>(*catalog_);
    changed->tables[table->name()] = std::move(table);
    catalog_ = std::move(changed);
}

void CommitContext::remove_table(const Table& table) {
    batch_.erase(table_definition_key(table.name()));
    batch_.erase(counts_key(table.id));
    for (const auto& range : {table_items_range(table.id), table_ttl_range(table.id)}) {
        batch_.erase_range(range.begin, range.end);
    }
    counts_.erase(table.id);
    counts_changed_.insert(table.id);
    auto changed = std::make_shared<Catalog>(*catalog_);
    changed->tables.erase(table.name());
    catalog_ = std::move(changed);
}

void CommitContext::store_stream(std::shared_ptr<const Stream> stream) {
    batch_.put(stream_definition_key(stream->arn), encode_stream(*stream));
    auto changed = std::make_shared<Catalog>(*catalog_);
    changed->streams[stream->arn] = std::move(stream);
    catalog_ = std::move(changed);
}

void CommitContext::remove_stream(const Stream& stream) {
    batch_.erase(stream_definition_key(stream.arn));
    auto changed = std::make_shared<Catalog>(*catalog_);
    changed->streams.erase(stream.arn);
    catalog_ = std::move(changed);
}

Sequence CommitContext::next_sequence() {
    last_sequence_ = std::max(last_sequence_ + 1, sequence_at(batch_millis()));
    sequence_changed_ = true;
    return last_sequence_;
}

std::int64_t CommitContext::batch_millis() const {
    if (!batch_millis_) {
        batch_millis_ = clock_.now_millis();
    }
    return *batch_millis_;
}

Counts& CommitContext::counts(TableId table, IndexId index) {
    counts_changed_.insert(table);
    return counts_[table][index];
}

void CommitContext::reset_counts(TableId table, IndexId index) {
    counts_changed_.insert(table);
    counts_[table].erase(index);
}

bool CommitContext::behind_position(TableId table, IndexId index, std::string_view item_key) const {
    const auto position = backfill_positions_.find({table, index});
    return position != backfill_positions_.end() && item_key <= position->second;
}

bool CommitContext::reaches(const Table& table, const Index& index, std::string_view item_key)
    const {
    return !index.backfilling || behind_position(table.id, index.id, item_key);
}

bool CommitContext::reaches_ttl(const Table& table, std::string_view item_key) const {
    return table.ttl_attribute &&
           (!table.ttl_backfilling || behind_position(table.id, kTimeToLive, item_key));
}

void CommitContext::begin_batch() {
    batch_.clear();
    pending_.clear();
    counts_changed_.clear();
    may_grow_ = false;
    sequence_changed_ = false;
    batch_millis_.reset();
    positions_before_batch_ = backfill_positions_;
}

void CommitContext::add_count_rows() {
    for (const auto table : counts_changed_) {
        if (const auto found = counts_.find(table); found != counts_.end()) {
            batch_.put(counts_key(table), encode_counts(found->second));
        }
    }
}

void CommitContext::add_sequence_row() {
    if (sequence_changed_) {
        batch_.put(last_sequence_key(), encode_sequence(last_sequence_));
    }
}

void CommitContext::publish_counts(CountsByTable& durable) const {
    for (const auto table : counts_changed_) {
        if (const auto found = counts_.find(table); found != counts_.end()) {
            durable[table] = found->second;
        } else {
            durable.erase(table);
        }
    }
}

void CommitContext::roll_back(
    std::shared_ptr<const Catalog> durable, const CountsByTable& durable_counts
) {
    catalog_ = std::move(durable);
    backfill_positions_ = positions_before_batch_;
    for (const auto table : counts_changed_) {
        if (const auto found = durable_counts.find(table); found != durable_counts.end()) {
            counts_[table] = found->second;
        } else {
            counts_.erase(table);
        }
    }
}

}  // namespace gateleg::engine

#include "engine/maintenance.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <set>

#include "base/log.h"
#include "engine/commit_step.h"
#include "engine/idempotency.h"
#include "engine/index_writer.h"
#include "engine/keyspace.h"
#include "engine/stream_log.h"

namespace gateleg::engine {
namespace {

using value::ValueView;

// Small pages: each holds up the commit thread for about a millisecond.
constexpr std::size_t kBackfillPageItems = 256;
constexpr std::size_t kBackfillPageBytes = 1 << 20;
constexpr std::size_t kExpiryPageItems = 256;
// Trimming writes a range tombstone per shard, so it waits until it is worth one. Readers do not
// see records past their time meanwhile.
constexpr std::int64_t kTrimEveryMillis = 5 * 60 * 1000;
// The clock may have been off for a week before a start is careful: an hour is exact enough.
constexpr std::int64_t kAnchorEveryMillis = 60 * 60 * 1000;
// DynamoDB leaves items alone whose time lies further back than this.
constexpr std::int64_t kOldestExpirySeconds = std::int64_t{5} * 365 * 24 * 3600;

// Time-to-live entries of items that are due.
KeyRange due_entries(TableId table, std::int64_t now) {
    const auto oldest = std::max<std::int64_t>(0, now - kOldestExpirySeconds);
    return {ttl_expired_before(table, oldest).end, ttl_expired_before(table, now).end};
}

bool deletes_by_clock(const Catalog& catalog) {
    return !catalog.streams.empty() ||
           std::any_of(catalog.tables.begin(), catalog.tables.end(), [](const auto& each) {
               return each.second->ttl_attribute.has_value();
           });
}

bool holds_anything(const storage::Store& store, const KeyRange& range) {
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    cursor->seek_to_first();
    return cursor->valid();
}

// One index, or the time-to-live entries, of one table that is being built.
struct Build {
    std::string table_name;
    TableId table{};
    IndexId index{};
};

std::vector<Build> find_builds(const Catalog& catalog) {
    std::vector<Build> builds;
    for (const auto& [name, table] : catalog.tables) {
        for (const auto& index : table->indexes) {
            if (index.backfilling) {
                builds.push_back({name, table->id, index.id});
            }
        }
        if (table->ttl_backfilling) {
            builds.push_back({name, table->id, kTimeToLive});
        }
    }
    return builds;
}

void finish_build(CommitContext& context, const Table& table, IndexId id) {
    auto built = std::make_shared<Table>(table);
    built->ttl_backfilling = built->ttl_backfilling && id != kTimeToLive;
    for (auto& index : built->indexes) {
        index.backfilling = index.backfilling && index.id != id;
    }
    context.store_table(std::move(built));
    context.note_growth();
    context.backfill_positions().erase({table.id, id});
}

// What an interrupted build has left behind is taken away before it starts again.
void start_build(CommitContext& context, const Table& table, IndexId id) {
    const auto range = id == kTimeToLive ? table_ttl_range(table.id) : index_range(table.id, id);
    context.batch().erase_range(range.begin, range.end);
    context.reset_counts(table.id, id);
    context.backfill_positions()[{table.id, id}] = index_prefix(table.id, kPrimary);
}

// Adds the entries of the next page of items. Gives whether there is more to do.
Result<bool> build_page(const storage::Store& store, CommitContext& context, const Build& build) {
    const auto table = context.catalog().find(build.table_name);
    if (table == nullptr || table->id != build.table) {
        return false;
    }
    const Index* index = nullptr;
    for (const auto& each : table->indexes) {
        index = each.id == build.index ? &each : index;
    }
    if (index == nullptr && build.index != kTimeToLive) {
        return false;
    }
    auto& positions = context.backfill_positions();
    const auto position = positions.find({build.table, build.index});
    if (position == positions.end()) {
        start_build(context, *table, build.index);
        return true;
    }
    const auto range = index_range(build.table, kPrimary);
    const auto cursor =
        store.cursor({.lower_bound = range.begin, .upper_bound = range.end, .fill_cache = false});
    std::size_t items = 0;
    std::size_t bytes = 0;
    cursor->seek(position->second + '\0');
    for (; cursor->valid() && items < kBackfillPageItems && bytes < kBackfillPageBytes;
         cursor->next()) {
        const ValueView item(cursor->value().data());
        if (index != nullptr) {
            backfill_entry(context, *table, *index, cursor->key(), item);
        } else {
            backfill_ttl_entry(context, *table, cursor->key(), item);
        }
        position->second = cursor->key();
        ++items;
        bytes += cursor->value().size();
    }
    GATELEG_TRY(cursor->status());
    if (cursor->valid()) {
        return true;
    }
    finish_build(context, *table, build.index);
    return false;
}

// Deletes a page of items whose time to live ended before `now`.
Result<bool> expire_page(
    const storage::Store& store,
    CommitContext& context,
    const std::string& table_name,
    std::int64_t now
) {
    const auto table = context.catalog().find(table_name);
    if (table == nullptr || !table->ttl_attribute) {
        return false;
    }
    const auto range = due_entries(table->id, now);
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    std::size_t items = 0;
    for (cursor->seek_to_first(); cursor->valid() && items < kExpiryPageItems; cursor->next()) {
        const auto key = item_key_of_ttl_entry(table->id, cursor->key());
        std::string bytes;
        GATELEG_TRY_ASSIGN(const bool there, context.get(key, bytes));
        if (there) {
            write_item(
                context,
                {.table = *table,
                 .key = key,
                 .before = ValueView(bytes.data()),
                 .after = std::nullopt,
                 .expired = true}
            );
        }
        ++items;
    }
    GATELEG_TRY(cursor->status());
    return cursor->valid();
}

Result<bool> forget_page(const storage::Store& store, CommitContext& context, std::int64_t now) {
    const auto range = tokens_expired_before(now);
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    std::size_t tokens = 0;
    for (cursor->seek_to_first(); cursor->valid() && tokens < kExpiryPageItems; cursor->next()) {
        // A token used again after its end has a later expiry entry; then its record stays.
        const auto token = token_of_expiry_key(cursor->key());
        std::string record;
        GATELEG_TRY_ASSIGN(const bool there, context.get(token_key(token), record));
        const auto decoded = there ? decode_token(record) : std::nullopt;
        if (decoded && decoded->expires_seconds < now) {
            context.erase(token_key(token));
        }
        context.batch().erase(cursor->key());
        ++tokens;
    }
    GATELEG_TRY(cursor->status());
    return cursor->valid();
}

}  // namespace

Maintenance::Maintenance(const Core& core) : core_(core) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

bool Maintenance::wait_for_next_round(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    round_.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
    return !stop.stop_requested();
}

void Maintenance::run(const std::stop_token& stop) {
    do {
        try {
            core_.hot_keys.turn(std::chrono::steady_clock::now());
            build_indexes(stop);
            if (check_clock()) {
                expire_items(stop);
                forget_tokens(stop);
                tend_streams(stop);
            }
        } catch (const std::exception& failure) {
            log_error("maintenance failed, will try again", {{"cause", failure.what()}});
        }
    } while (wait_for_next_round(stop));
}

void Maintenance::build_indexes(const std::stop_token& stop) {
    for (const auto& build : find_builds(*core_.committer.catalog())) {
        bool more = true;
        while (more && !stop.stop_requested()) {
            const auto step = run_commit_step(core_, [&](CommitContext& context) {
                return build_page(core_.store, context, build);
            });
            more = step && *step;
        }
    }
}

bool Maintenance::check_clock() {
    if (core_.clock_guard == nullptr) {
        return true;
    }
    if (!core_.clock_guard->look(core_.clock.now_millis())) {
        return false;
    }
    const auto& anchor = core_.clock_guard->anchor();
    const bool is_noted =
        anchored_up_millis_ && anchor.up_millis - *anchored_up_millis_ < kAnchorEveryMillis;
    if (!is_noted && deletes_by_clock(*core_.committer.catalog())) {
        const auto step = run_commit_step(core_, [&](CommitContext& context) -> Result<bool> {
            context.batch().put(clock_anchor_key(), encode_anchor(anchor));
            return false;
        });
        if (step) {
            anchored_up_millis_ = anchor.up_millis;
        }
    }
    return true;
}

void Maintenance::expire_items(const std::stop_token& stop) {
    const auto now = core_.clock.now_seconds() - core_.expiry_delay_seconds;
    const auto catalog = core_.committer.catalog();
    for (const auto& [name, table] : catalog->tables) {
        if (!table->ttl_attribute || !holds_anything(core_.store, due_entries(table->id, now))) {
            continue;
        }
        bool more = true;
        while (more && !stop.stop_requested()) {
            const auto step =
                run_commit_step(core_, [&, table_name = name](CommitContext& context) {
                    return expire_page(core_.store, context, table_name, now);
                });
            more = step && *step;
        }
    }
}

void Maintenance::forget_tokens(const std::stop_token& stop) {
    const auto now = core_.clock.now_seconds();
    bool more = holds_anything(core_.store, tokens_expired_before(now));
    while (more && !stop.stop_requested()) {
        const auto step = run_commit_step(core_, [&](CommitContext& context) {
            return forget_page(core_.store, context, now);
        });
        more = step && *step;
    }
}

bool Maintenance::is_trim_due(const Stream& stream, std::int64_t now_millis) {
    const auto [last, never] = checked_millis_.try_emplace(stream.id, now_millis);
    const auto since = now_millis - last->second;
    if (!never && since >= 0 && since < kTrimEveryMillis) {
        return false;
    }
    last->second = now_millis;
    const auto horizon = trim_horizon(now_millis);
    for (const auto& generation : stream.generations) {
        const auto first = stream.first_shard(generation);
        for (auto shard = first; shard < first + stream.shards_per_generation; ++shard) {
            if (holds_anything(
                    core_.store,
                    {stream_record_key(stream.id, shard, 0),
                     stream_record_key(stream.id, shard, horizon)}
                )) {
                return true;
            }
        }
    }
    return false;
}

void Maintenance::tend_streams(const std::stop_token& stop) {
    const auto now = core_.clock.now_millis();
    const auto catalog = core_.committer.catalog();
    for (const auto& [arn, stream] : catalog->streams) {
        if (stop.stop_requested()) {
            return;
        }
        if (!is_trim_due(*stream, now) && !needs_tending(*stream, now)) {
            continue;
        }
        const auto step =
            run_commit_step(core_, [&, arn = arn](CommitContext& context) -> Result<bool> {
                if (const auto newest = context.catalog().find_stream(arn)) {
                    tend_stream(context, *newest, now);
                }
                return false;
            });
        if (!step) {
            checked_millis_.erase(stream->id);
        }
    }
    if (checked_millis_.size() > catalog->streams.size()) {
        std::set<StreamId> known;
        for (const auto& [arn, stream] : catalog->streams) {
            known.insert(stream->id);
        }
        std::erase_if(checked_millis_, [&](const auto& each) {
            return !known.contains(each.first);
        });
    }
}

}  // namespace gateleg::engine

// One table of a store over the network whose stream is read: its shards, and the newest records
// under numbers of one order.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dynamo/change_feed.h"
#include "dynamo/dynamo.h"
#include "dynamo/streams.h"
#include "remote/polled_changes.h"

namespace gateleg::remote::internal {

// begin() first; then poll() on one thread, the others on any.
class FollowedTable {
public:
    using Steady = std::chrono::steady_clock;

    FollowedTable(
        dynamo::Streams& streams, std::string table, std::int64_t now_millis, PollOptions options
    );

    // Finds the ends of the shards that are open now: what is written from here on is told. Waits.
    Result<void> begin(const dynamo::TableDescription& table);

    // Asks each shard once, and waits. True if there were records; sets `more` if there are more.
    bool poll(dynamo::Dynamo& tables, bool& more);

    dynamo::ChangesRange range() const;
    Result<dynamo::ChangesReply> read(const dynamo::ChangesRequest& request) const;

    // Nobody has asked for a while.
    bool is_idle() const;
    // The table still has the stream that was there at the beginning.
    bool is_enabled() const;

private:
    struct Shard {
        dynamo::IteratorType start = dynamo::IteratorType::kTrimHorizon;
        std::optional<std::string> parent = std::nullopt;
        std::string iterator = {};       // empty: to be asked for
        std::string last_sequence = {};  // the newest that was read
    };

    Result<std::vector<dynamo::ShardDescription>> describe();
    bool may_begin(const Shard& shard) const;
    dynamo::GetShardIteratorRequest place_in(const std::string& id, const Shard& shard) const;
    Result<void> find_iterators();
    Result<bool> ask_shards(dynamo::Dynamo& tables, Steady::time_point now, bool& more);
    void take_records(const std::string& id, dynamo::GetRecordsReply reply);
    bool forgive(const std::string& id, const Error& error);
    void begin_anew(Shard& shard);
    Result<void> look_again(dynamo::Dynamo& tables);

    void keep(dynamo::StreamRecord record);
    void note_gap();
    // These need the lock.
    void count();
    std::string latest() const;
    std::string horizon() const;

    dynamo::Streams& streams_;
    const PollOptions options_;
    const std::string table_;
    std::string arn_;
    std::map<std::string, Shard> shards_;
    std::set<std::string> finished_;  // read to their end, or closed before we came
    Steady::time_point looked_at_;
    Steady::time_point not_before_;

    mutable std::mutex mutex_;
    bool enabled_ = true;
    dynamo::StreamView view_ = dynamo::StreamView::kKeysOnly;
    std::uint64_t epoch_;        // when it began to be followed
    std::uint64_t counted_ = 0;  // records since then
    std::string horizon_;        // the last that is no longer kept; empty if all are
    std::deque<dynamo::StreamRecord> records_;
    std::size_t bytes_ = 0;
    mutable Steady::time_point used_at_;
};

}  // namespace gateleg::remote::internal

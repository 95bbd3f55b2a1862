// How many partitions the items of an entity with `shard` spread over, and since when.
//
// The schedule is data: the built-in item Shards of the entity, which operations of the model
// write while the server runs. An item keeps the shard that was right at its own time, so a change
// moves nothing; a reader asks every shard that was in use during the times it reads.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Immutable.
class ShardSchedule {
public:
    struct Step {
        std::int64_t from_millis = 0;
        std::int64_t count = 1;
    };

    ShardSchedule() = default;
    explicit ShardSchedule(std::vector<Step> steps);

    // One before the first step.
    std::int64_t count_at(std::int64_t millis) const;
    // What {shard} stands for: empty while there is one, else "#3".
    std::string shard_of(std::string_view id, std::int64_t millis) const;
    // Every shard in use at some time of the range. A count holds for a minute longer than the
    // schedule says: another server may learn late that it has changed.
    std::vector<std::string> shards_between(std::int64_t from, std::int64_t to) const;

private:
    std::vector<Step> steps_;  // ascending
};

// The schedules of a model's entities at one moment. Immutable.
class ShardBook {
public:
    explicit ShardBook(std::map<const Entity*, ShardSchedule> schedules)
        : schedules_(std::move(schedules)) {}

    const ShardSchedule& of(const Entity& entity) const;
    // Of an item's attributes in stored form; empty also if it lacks what decides.
    std::string shard_of(const Entity& entity, const value::Item& attributes) const;

private:
    std::map<const Entity*, ShardSchedule> schedules_;
};

// Reads the schedules, and again after some seconds or when told that they have changed.
// Thread-safe.
class ShardTable {
public:
    ShardTable(const Model& model, dynamo::Dynamo& dynamo);

    // Null if no entity of the model is sharded.
    Result<std::shared_ptr<const ShardBook>> current();
    // The attributes with the `shard` that keys of the item name, if it is of a sharded entity.
    Result<value::Item> place(const Entity& entity, value::Item attributes);
    void forget();

private:
    using Clock = std::chrono::steady_clock;

    Result<ShardSchedule> read(const Entity& entity) const;

    const Model& model_;
    dynamo::Dynamo& dynamo_;
    std::vector<const Entity*> sharded_;
    std::mutex mutex_;
    std::shared_ptr<const ShardBook> book_;
    Clock::time_point read_at_;
    std::uint64_t changes_ = 0;
};

}  // namespace gateleg::model

// The stream of a table: where its records lie, and the numbers that order them.
//
// A record's sequence number is the millisecond of its batch with a counter behind it, and always
// greater than the one before, whatever the clock does. So numbers sort as records were written,
// and the records that are older than a time are a range of keys.
//
// Records are spread over kShardsPerGeneration shards by the hash of the item's partition: those of
// one item stay in order in one shard. Every few hours the shards are closed and others follow
// them, as on AWS, so that old ones can be dropped whole.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/schema.h"

namespace gateleg::engine {

// The sequence number that was given out for the stream itself: never used for another.
enum class StreamId : std::uint64_t {};
using Sequence = std::uint64_t;
// Counts up within a stream. Written to disk in every record's key.
using ShardNumber = std::uint32_t;

inline constexpr ShardNumber kShardsPerGeneration = 4;
inline constexpr std::int64_t kShardLifetimeMillis = std::int64_t{4} * 3600 * 1000;
inline constexpr std::int64_t kStreamRetentionMillis = std::int64_t{24} * 3600 * 1000;

// The shards that are open at the same time.
struct ShardGeneration {
    std::uint32_t number = 0;
    std::int64_t started_millis = 0;
    Sequence first_sequence = 0;
    std::optional<Sequence> last_sequence;  // set when its shards are closed
};

// Immutable once it is in a catalog; a change makes another one.
struct Stream {
    StreamId id{};
    std::string arn;
    std::string label;
    std::string table_name;
    dynamo::StreamView view = dynamo::StreamView::kKeysOnly;
    std::int64_t created_millis = 0;
    dynamo::KeySchema key_schema;
    ShardNumber shards_per_generation = kShardsPerGeneration;
    std::vector<ShardGeneration> generations;  // oldest first, never empty
    // When it was disabled, or its table deleted; a day later it goes.
    std::optional<std::int64_t> disabled_millis;

    bool enabled() const { return !disabled_millis; }
    ShardNumber first_shard(const ShardGeneration& generation) const {
        return generation.number * shards_per_generation;
    }
    // Null if the shard is gone, or was never there.
    const ShardGeneration* generation_of(ShardNumber shard) const;
};

std::string stream_arn(std::string_view table_arn, std::string_view label);

// The form in which a stream's definition is stored.
std::string encode_stream(const Stream& stream);
Result<Stream> decode_stream(std::string_view bytes);

// The last number given out, as it is stored.
std::string encode_sequence(Sequence sequence);
Sequence decode_sequence(std::string_view bytes);

// The smallest sequence number of this millisecond.
Sequence sequence_at(std::int64_t millis);
// 21 digits, and back; nothing for what is not digits or too large.
std::string sequence_text(Sequence sequence);
std::optional<Sequence> parse_sequence(std::string_view text);

// Records before this number are older than a day.
Sequence trim_horizon(std::int64_t now_millis);

// "shardId-00000001700000000000-0000001c", and back; nothing if the stream has no such shard. The
// ids of a stream sort as its shards were opened.
std::string shard_id(const ShardGeneration& generation, ShardNumber shard);
std::optional<ShardNumber> find_shard(const Stream& stream, std::string_view id);

}  // namespace gateleg::engine

// The DynamoDB Streams API as types and as an interface: one call per operation.
//
// It is beside Dynamo and not a part of it, since a store may have tables without having streams.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/dynamo.h"

namespace gateleg::dynamo {

struct StreamSummary {
    std::string arn;
    std::string label;
    std::string table;
};

struct ListStreamsReply {
    std::vector<StreamSummary> streams;
    std::optional<std::string> last_evaluated;  // an ARN
};

struct ListStreamsRequest {
    using Reply = ListStreamsReply;
    std::optional<std::string> table;
    std::optional<std::string> exclusive_start;
    std::size_t limit = 100;
};

// Sequence numbers are decimal digits, 21 of them, so that their texts sort as they do.
struct ShardDescription {
    std::string id;
    std::optional<std::string> parent;
    std::string first_sequence;
    std::optional<std::string> last_sequence;  // set when the shard is closed
};

struct DescribeStreamReply {
    StreamSummary stream;
    bool enabled = false;
    StreamView view = StreamView::kKeysOnly;
    std::int64_t created_millis = 0;
    KeySchema key_schema;
    std::vector<ShardDescription> shards;
    std::optional<std::string> last_evaluated;  // a shard
};

struct DescribeStreamRequest {
    using Reply = DescribeStreamReply;
    std::string arn;
    std::optional<std::string> exclusive_start;
    std::optional<std::string> children_of;  // only the shards that follow this one
    std::size_t limit = 100;
};

enum class IteratorType : std::uint8_t { kTrimHorizon, kLatest, kAtSequence, kAfterSequence };

struct GetShardIteratorReply {
    std::string iterator;
};

struct GetShardIteratorRequest {
    using Reply = GetShardIteratorReply;
    std::string arn;
    std::string shard;
    IteratorType type = IteratorType::kTrimHorizon;
    std::optional<std::string> sequence;  // set for the two types that need one
};

enum class StreamEvent : std::uint8_t { kInsert, kModify, kRemove };

struct StreamRecord {
    std::string id;
    StreamEvent event = StreamEvent::kInsert;
    std::string sequence;
    std::int64_t created_seconds = 0;
    std::int64_t size_bytes = 0;
    EncodedItem keys;
    std::optional<EncodedItem> new_image;
    std::optional<EncodedItem> old_image;
    bool by_time_to_live = false;
};

struct GetRecordsReply {
    std::vector<StreamRecord> records;
    StreamView view = StreamView::kKeysOnly;
    std::string region;
    // Absent when the shard is closed and has been read to its end.
    std::optional<std::string> next_iterator;
};

struct GetRecordsRequest {
    using Reply = GetRecordsReply;
    std::string iterator;
    std::size_t limit = 1000;
};

// As thread-safe, and as free in when it answers, as Dynamo.
class Streams {
public:
    virtual ~Streams() = default;

    virtual void list_streams(ListStreamsRequest, Done<ListStreamsRequest>) = 0;
    virtual void describe_stream(DescribeStreamRequest, Done<DescribeStreamRequest>) = 0;
    virtual void get_shard_iterator(GetShardIteratorRequest, Done<GetShardIteratorRequest>) = 0;
    virtual void get_records(GetRecordsRequest, Done<GetRecordsRequest>) = 0;
};

}  // namespace gateleg::dynamo

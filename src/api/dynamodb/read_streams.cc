#include "api/dynamodb/read_request.h"
#include "api/dynamodb/streams_wire.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::IteratorType;

// Lengths that AWS gives for ARNs of streams, ids of shards and iterators.
constexpr std::size_t kMinArn = 37;
constexpr std::size_t kMaxArn = 1024;
constexpr std::size_t kMinShardId = 28;
constexpr std::size_t kMaxShardId = 65;
constexpr std::size_t kMaxIterator = 2048;
constexpr std::size_t kMinSequence = 21;
constexpr std::size_t kMaxSequence = 40;

std::optional<std::string> optional_text(
    const Fields& in, std::string_view name, std::size_t min, std::size_t max
) {
    return in.has(name) ? std::optional(in.required_text(name, min, max)) : std::nullopt;
}

std::size_t read_limit(const Fields& in, std::int64_t max) {
    in.check_range("Limit", 1, max);
    return static_cast<std::size_t>(in.integer("Limit").value_or(max));
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::ListStreamsRequest& request) {
    constexpr std::int64_t kMaxStreams = 100;
    if (in.has("TableName")) {
        GATELEG_TRY_ASSIGN(request.table, read_table_name(in, 3));
    }
    request.exclusive_start = optional_text(in, "ExclusiveStartStreamArn", kMinArn, kMaxArn);
    if (request.exclusive_start && !request.exclusive_start->starts_with("arn:")) {
        in.problems().later(validation_error("Invalid StreamArn"));
    }
    request.limit = read_limit(in, kMaxStreams);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DescribeStreamRequest& request) {
    constexpr std::int64_t kMaxShards = 100;
    request.arn = in.required_text("StreamArn", kMinArn, kMaxArn);
    request.exclusive_start = optional_text(in, "ExclusiveStartShardId", kMinShardId, kMaxShardId);
    request.limit = read_limit(in, kMaxShards);
    if (const auto filter = in.object("ShardFilter")) {
        const auto children =
            filter->choice<bool>("Type", {{"CHILD_SHARDS", true}}, "[CHILD_SHARDS]");
        request.children_of = optional_text(*filter, "ShardId", kMinShardId, kMaxShardId);
        if (children.has_value() != request.children_of.has_value()) {
            in.problems().later(
                validation_error("ShardFilter must have both Type and ShardId, or neither")
            );
        }
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::GetShardIteratorRequest& request) {
    request.arn = in.required_text("StreamArn", kMinArn, kMaxArn);
    request.shard = in.required_text("ShardId", kMinShardId, kMaxShardId);
    in.require("ShardIteratorType");
    request.type = in.choice<IteratorType>(
                         "ShardIteratorType",
                         {{"TRIM_HORIZON", IteratorType::kTrimHorizon},
                          {"LATEST", IteratorType::kLatest},
                          {"AT_SEQUENCE_NUMBER", IteratorType::kAtSequence},
                          {"AFTER_SEQUENCE_NUMBER", IteratorType::kAfterSequence}},
                         "[AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, TRIM_HORIZON, LATEST]"
    )
                       .value_or(IteratorType::kTrimHorizon);
    request.sequence = optional_text(in, "SequenceNumber", kMinSequence, kMaxSequence);
    const bool needs_sequence =
        request.type == IteratorType::kAtSequence || request.type == IteratorType::kAfterSequence;
    if (needs_sequence != request.sequence.has_value()) {
        in.problems().later(validation_error(
            needs_sequence
                ? "One or more parameter values were invalid: SequenceNumber must be specified "
                  "when ShardIteratorType is AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER"
                : "One or more parameter values were invalid: SequenceNumber must not be specified "
                  "when ShardIteratorType is TRIM_HORIZON or LATEST"
        ));
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::GetRecordsRequest& request) {
    constexpr std::int64_t kMaxRecords = 1000;
    request.iterator = in.required_text("ShardIterator", 1, kMaxIterator);
    request.limit = read_limit(in, kMaxRecords);
    return in.problems().check();
}

}  // namespace gateleg::api::dynamodb

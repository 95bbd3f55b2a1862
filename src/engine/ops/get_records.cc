#include "engine/keyspace.h"
#include "engine/limits.h"
#include "engine/ops/stream_operations.h"
#include "engine/shard_iterator.h"
#include "engine/stream_log.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::GetRecordsReply;
using dynamo::GetRecordsRequest;
using dynamo::GetShardIteratorReply;
using dynamo::GetShardIteratorRequest;
using dynamo::IteratorType;

bool is_stream_arn(std::string_view arn) {
    return arn.starts_with("arn:aws:dynamodb:") && arn.find(":table/") != std::string_view::npos &&
           arn.find("/stream/") != std::string_view::npos;
}

// A place that the client names by a number of the shard.
Result<Sequence> sequence_in_shard(
    const Core& core, const GetShardIteratorRequest& request, const ShardGeneration& generation
) {
    const auto sequence = parse_sequence(*request.sequence);
    GATELEG_TRY_ASSIGN(const auto newest, last_sequence(core));
    if (!sequence || *sequence < generation.first_sequence ||
        *sequence > generation.last_sequence.value_or(newest)) {
        return validation_error("Invalid SequenceNumber: it is not one of shard " + request.shard);
    }
    if (*sequence < trim_horizon(core.clock.now_millis())) {
        return trimmed_data_access();
    }
    return *sequence;
}

Result<GetShardIteratorReply> make_iterator(
    const Core& core, const GetShardIteratorRequest& request
) {
    GATELEG_TRY_ASSIGN(const auto stream, get_stream(core, request.arn));
    const auto shard = find_shard(*stream, request.shard);
    if (!shard) {
        return resource_not_found(
            "Requested resource not found: Shard: " + request.shard + " in Stream: " + request.arn +
            " not found"
        );
    }
    ShardIterator iterator{
        .stream_arn = stream->arn,
        .shard = *shard,
        .issued_millis = core.clock.now_millis(),
    };
    switch (request.type) {
        case IteratorType::kTrimHorizon:
            break;
        case IteratorType::kLatest: {
            GATELEG_TRY_ASSIGN(iterator.position, last_sequence(core));
            break;
        }
        case IteratorType::kAtSequence:
        case IteratorType::kAfterSequence: {
            GATELEG_TRY_ASSIGN(
                iterator.position, sequence_in_shard(core, request, *stream->generation_of(*shard))
            );
            iterator.position -= request.type == IteratorType::kAtSequence ? 1 : 0;
            iterator.may_skip = true;
            break;
        }
    }
    return GetShardIteratorReply{encode_iterator(iterator)};
}

Result<ShardIterator> read_iterator(const Core& core, const std::string& text) {
    auto iterator = decode_iterator(text);
    if (!iterator) {
        return validation_error("Invalid ShardIterator");
    }
    const auto now = core.clock.now_millis();
    if (now - iterator->issued_millis > kIteratorLifetimeMillis) {
        return Error{
            ErrorCode::kExpiredIterator,
            "The shard iterator has expired: it was issued more than 15 minutes ago"};
    }
    if (iterator->may_skip && iterator->position + 1 < trim_horizon(now)) {
        return trimmed_data_access();
    }
    return *std::move(iterator);
}

Result<GetRecordsReply> read_records(const Core& core, const GetRecordsRequest& request) {
    GATELEG_TRY_ASSIGN(auto iterator, read_iterator(core, request.iterator));
    // In this order: what the catalog calls closed, and what was numbered by then, the cursor sees.
    GATELEG_TRY_ASSIGN(const auto stream, get_stream(core, iterator.stream_arn));
    const auto* generation = stream->generation_of(iterator.shard);
    if (generation == nullptr) {
        return trimmed_data_access();
    }
    GATELEG_TRY_ASSIGN(const auto newest, last_sequence(core));
    const auto range = shard_range(stream->id, iterator.shard);
    const auto cursor = core.store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    const auto now = core.clock.now_millis();
    GetRecordsReply reply{
        .records = {}, .view = stream->view, .region = core.region, .next_iterator = std::nullopt};
    std::size_t bytes = 0;
    const auto from = std::max(iterator.position + 1, trim_horizon(now));
    cursor->seek(stream_record_key(stream->id, iterator.shard, from));
    for (; cursor->valid() && reply.records.size() < request.limit; cursor->next()) {
        const auto sequence = sequence_of_record_key(cursor->key());
        auto record = decode_stream_record(*stream, sequence, cursor->value());
        bytes += static_cast<std::size_t>(record.size_bytes);
        if (bytes > kMaxPageBytes && !reply.records.empty()) {
            break;
        }
        reply.records.push_back(std::move(record));
        iterator.position = sequence;
    }
    GATELEG_TRY(cursor->status());
    iterator.may_skip = cursor->valid();
    if (!iterator.may_skip) {
        if (generation->last_sequence) {
            return reply;
        }
        iterator.position = std::max(iterator.position, newest);
    }
    iterator.issued_millis = now;
    reply.next_iterator = encode_iterator(iterator);
    return reply;
}

}  // namespace

Result<std::shared_ptr<const Stream>> get_stream(const Core& core, const std::string& arn) {
    if (!is_stream_arn(arn)) {
        return validation_error("Invalid StreamArn");
    }
    auto stream = core.committer.catalog()->find_stream(arn);
    if (stream == nullptr) {
        return resource_not_found("Requested resource not found: Stream: " + arn + " not found");
    }
    return stream;
}

Result<Sequence> last_sequence(const Core& core) {
    std::string bytes;
    GATELEG_TRY_ASSIGN(const bool numbered, core.store.get(last_sequence_key(), bytes));
    return numbered ? decode_sequence(bytes) : Sequence{0};
}

Error trimmed_data_access() {
    return {
        ErrorCode::kTrimmedDataAccess,
        "The operation attempted to read past the oldest stream record in a shard"};
}

void get_shard_iterator(
    const Core& core, GetShardIteratorRequest request, Done<GetShardIteratorRequest> done
) {
    done(make_iterator(core, request));
}

void get_records(const Core& core, GetRecordsRequest request, Done<GetRecordsRequest> done) {
    done(read_records(core, request));
}

}  // namespace gateleg::engine::ops

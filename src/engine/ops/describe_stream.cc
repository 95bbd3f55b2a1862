#include "engine/ops/stream_operations.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::DescribeStreamReply;
using dynamo::DescribeStreamRequest;
using dynamo::ShardDescription;

dynamo::StreamSummary summary_of(const Stream& stream) {
    return {.arn = stream.arn, .label = stream.label, .table = stream.table_name};
}

// All shards in the order of their ids.
std::vector<ShardDescription> shards_of(const Stream& stream) {
    std::vector<ShardDescription> shards;
    const ShardGeneration* before = nullptr;
    for (const auto& generation : stream.generations) {
        const auto first = stream.first_shard(generation);
        for (auto shard = first; shard < first + stream.shards_per_generation; ++shard) {
            auto& description = shards.emplace_back();
            description.id = shard_id(generation, shard);
            description.first_sequence = sequence_text(generation.first_sequence);
            if (generation.last_sequence) {
                description.last_sequence = sequence_text(*generation.last_sequence);
            }
            if (before != nullptr) {
                description.parent = shard_id(*before, shard - stream.shards_per_generation);
            }
        }
        before = &generation;
    }
    return shards;
}

}  // namespace

void list_streams(
    const Core& core, dynamo::ListStreamsRequest request, Done<dynamo::ListStreamsRequest> done
) {
    const auto catalog = core.committer.catalog();
    const auto& streams = catalog->streams;
    dynamo::ListStreamsReply reply;
    auto next =
        request.exclusive_start ? streams.upper_bound(*request.exclusive_start) : streams.begin();
    for (; next != streams.end(); ++next) {
        if (request.table && next->second->table_name != *request.table) {
            continue;
        }
        if (reply.streams.size() == request.limit) {
            reply.last_evaluated = reply.streams.back().arn;
            break;
        }
        reply.streams.push_back(summary_of(*next->second));
    }
    done(std::move(reply));
}

void describe_stream(
    const Core& core, DescribeStreamRequest request, Done<DescribeStreamRequest> done
) {
    const auto found = get_stream(core, request.arn);
    if (!found) {
        done(found.error());
        return;
    }
    const auto& stream = **found;
    DescribeStreamReply reply{
        .stream = summary_of(stream),
        .enabled = stream.enabled(),
        .view = stream.view,
        .created_millis = stream.created_millis,
        .key_schema = stream.key_schema,
        .shards = {},
        .last_evaluated = std::nullopt,
    };
    for (auto& shard : shards_of(stream)) {
        if ((request.exclusive_start && shard.id <= *request.exclusive_start) ||
            (request.children_of && shard.parent != *request.children_of)) {
            continue;
        }
        if (reply.shards.size() == request.limit) {
            reply.last_evaluated = reply.shards.back().id;
            break;
        }
        reply.shards.push_back(std::move(shard));
    }
    done(std::move(reply));
}

}  // namespace gateleg::engine::ops

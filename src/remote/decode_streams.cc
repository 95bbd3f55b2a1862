#include "remote/decode_reply.h"
#include "remote/internal/decode_schema.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote {
namespace {

using internal::ReplyReader;

dynamo::StreamSummary decode_summary(const ReplyReader& in) {
    return {
        .arn = in.text("StreamArn").value_or(""),
        .label = in.text("StreamLabel").value_or(""),
        .table = in.text("TableName").value_or("")};
}

dynamo::ShardDescription decode_shard(const ReplyReader& in) {
    dynamo::ShardDescription shard;
    shard.id = in.text("ShardId").value_or("");
    shard.parent = in.text("ParentShardId");
    if (const auto range = in.object("SequenceNumberRange")) {
        shard.first_sequence = range->text("StartingSequenceNumber").value_or("");
        shard.last_sequence = range->text("EndingSequenceNumber");
    }
    return shard;
}

dynamo::StreamRecord decode_record(const ReplyReader& in) {
    dynamo::StreamRecord record;
    record.id = in.text("eventID").value_or("");
    const auto event = in.text("eventName");
    record.event = event == "INSERT"   ? dynamo::StreamEvent::kInsert
                   : event == "REMOVE" ? dynamo::StreamEvent::kRemove
                                       : dynamo::StreamEvent::kModify;
    if (const auto by = in.object("userIdentity")) {
        record.by_time_to_live = by->text("principalId") == "dynamodb.amazonaws.com";
    }
    const auto change = in.object("dynamodb");
    auto keys = change ? change->item("Keys") : std::nullopt;
    if (!keys) {
        in.complaint().add("Keys", "there");
        return record;
    }
    record.keys = *std::move(keys);
    record.new_image = change->item("NewImage");
    record.old_image = change->item("OldImage");
    record.sequence = change->text("SequenceNumber").value_or("");
    record.size_bytes = change->integer("SizeBytes").value_or(0);
    const auto created = change->number("ApproximateCreationDateTime").value_or(0);
    constexpr double kYear9999 = 253'402'300'800;
    record.created_seconds =
        created >= 0 && created < kYear9999 ? static_cast<std::int64_t>(created) : 0;
    return record;
}

}  // namespace

Result<void> decode_reply(std::string_view body, dynamo::ListStreamsReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        for (const auto& each : in.objects("Streams")) {
            reply.streams.push_back(decode_summary(each));
        }
        reply.last_evaluated = in.text("LastEvaluatedStreamArn");
    });
}

Result<void> decode_reply(std::string_view body, dynamo::DescribeStreamReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        const auto stream = in.object("StreamDescription");
        if (!stream) {
            in.complaint().add("StreamDescription", "there");
            return;
        }
        reply.stream = decode_summary(*stream);
        const auto status = stream->text("StreamStatus");
        reply.enabled = status == "ENABLED" || status == "ENABLING";
        reply.view = internal::decode_stream_view(*stream);
        reply.created_millis =
            internal::decode_millis(*stream, "CreationRequestDateTime").value_or(0);
        reply.key_schema = internal::decode_key_schema(*stream);
        for (const auto& each : stream->objects("Shards")) {
            reply.shards.push_back(decode_shard(each));
        }
        reply.last_evaluated = stream->text("LastEvaluatedShardId");
    });
}

Result<void> decode_reply(std::string_view body, dynamo::GetShardIteratorReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        auto iterator = in.text("ShardIterator");
        if (!iterator) {
            in.complaint().add("ShardIterator", "there");
            return;
        }
        reply.iterator = *std::move(iterator);
    });
}

Result<void> decode_reply(std::string_view body, dynamo::GetRecordsReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        for (const auto& each : in.objects("Records")) {
            reply.records.push_back(decode_record(each));
        }
        reply.next_iterator = in.text("NextShardIterator");
    });
}

}  // namespace gateleg::remote

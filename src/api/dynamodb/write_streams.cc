#include "api/dynamodb/streams_wire.h"
#include "api/dynamodb/write_reply.h"
#include "base/json_writer.h"
#include "dynamo/schema_json.h"
#include "value/json_codec.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::StreamEvent;
using dynamo::StreamRecord;

void write_item(JsonWriter& json, std::string_view member, value::ValueView item) {
    json.key(member);
    value::append_json_map(json.value_sink(), item);
}

void write_summary(JsonWriter& json, const dynamo::StreamSummary& stream) {
    json.member("StreamArn", stream.arn);
    json.member("TableName", stream.table);
    json.member("StreamLabel", stream.label);
}

void write_shard(JsonWriter& json, const dynamo::ShardDescription& shard) {
    json.begin_object();
    json.member("ShardId", shard.id);
    json.key("SequenceNumberRange");
    json.begin_object();
    json.member("StartingSequenceNumber", shard.first_sequence);
    if (shard.last_sequence) {
        json.member("EndingSequenceNumber", *shard.last_sequence);
    }
    json.end_object();
    if (shard.parent) {
        json.member("ParentShardId", *shard.parent);
    }
    json.end_object();
}

std::string_view event_name(StreamEvent event) {
    switch (event) {
        case StreamEvent::kInsert:
            return "INSERT";
        case StreamEvent::kModify:
            return "MODIFY";
        case StreamEvent::kRemove:
            return "REMOVE";
    }
    return "MODIFY";
}

void write_record(
    JsonWriter& json, const dynamo::GetRecordsReply& reply, const StreamRecord& record
) {
    json.begin_object();
    json.member("eventID", record.id);
    json.member("eventName", event_name(record.event));
    json.member("eventVersion", "1.1");
    json.member("eventSource", "aws:dynamodb");
    json.member("awsRegion", reply.region);
    json.key("dynamodb");
    json.begin_object();
    json.member("ApproximateCreationDateTime", record.created_seconds);
    write_item(json, "Keys", record.keys.view());
    if (record.new_image) {
        write_item(json, "NewImage", record.new_image->view());
    }
    if (record.old_image) {
        write_item(json, "OldImage", record.old_image->view());
    }
    json.member("SequenceNumber", record.sequence);
    json.member("SizeBytes", record.size_bytes);
    json.member("StreamViewType", dynamo::stream_view_name(reply.view));
    json.end_object();
    if (record.by_time_to_live) {
        json.key("userIdentity");
        json.begin_object();
        json.member("PrincipalId", "dynamodb.amazonaws.com");
        json.member("Type", "Service");
        json.end_object();
    }
    json.end_object();
}

}  // namespace

void write_reply(std::string& out, const dynamo::ListStreamsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Streams");
    json.begin_array();
    for (const auto& stream : reply.streams) {
        json.begin_object();
        write_summary(json, stream);
        json.end_object();
    }
    json.end_array();
    if (reply.last_evaluated) {
        json.member("LastEvaluatedStreamArn", *reply.last_evaluated);
    }
    json.end_object();
}

void write_reply(std::string& out, const dynamo::DescribeStreamReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("StreamDescription");
    json.begin_object();
    write_summary(json, reply.stream);
    json.member("StreamStatus", reply.enabled ? "ENABLED" : "DISABLED");
    json.member("StreamViewType", dynamo::stream_view_name(reply.view));
    write_time(json, "CreationRequestDateTime", reply.created_millis);
    dynamo::write_key_schema(json, reply.key_schema);
    json.key("Shards");
    json.begin_array();
    for (const auto& shard : reply.shards) {
        write_shard(json, shard);
    }
    json.end_array();
    if (reply.last_evaluated) {
        json.member("LastEvaluatedShardId", *reply.last_evaluated);
    }
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const dynamo::GetShardIteratorReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.member("ShardIterator", reply.iterator);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::GetRecordsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Records");
    json.begin_array();
    for (const auto& record : reply.records) {
        write_record(json, reply, record);
    }
    json.end_array();
    if (reply.next_iterator) {
        json.member("NextShardIterator", *reply.next_iterator);
    }
    json.end_object();
}

}  // namespace gateleg::api::dynamodb

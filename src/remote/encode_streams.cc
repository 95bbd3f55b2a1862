#include "remote/encode_request.h"
#include "remote/internal/encode_parts.h"

namespace gateleg::remote {
namespace {

std::string_view type_name(dynamo::IteratorType type) {
    switch (type) {
        case dynamo::IteratorType::kTrimHorizon:
            return "TRIM_HORIZON";
        case dynamo::IteratorType::kLatest:
            return "LATEST";
        case dynamo::IteratorType::kAtSequence:
            return "AT_SEQUENCE_NUMBER";
        case dynamo::IteratorType::kAfterSequence:
            return "AFTER_SEQUENCE_NUMBER";
    }
    return "LATEST";
}

}  // namespace

void encode_request(std::string& out, const dynamo::ListStreamsRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    internal::encode_text(json, "TableName", request.table);
    internal::encode_text(json, "ExclusiveStartStreamArn", request.exclusive_start);
    json.member("Limit", request.limit);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::DescribeStreamRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("StreamArn", request.arn);
    internal::encode_text(json, "ExclusiveStartShardId", request.exclusive_start);
    if (request.children_of) {
        json.key("ShardFilter");
        json.begin_object();
        json.member("Type", "CHILD_SHARDS");
        json.member("ShardId", *request.children_of);
        json.end_object();
    }
    json.member("Limit", request.limit);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::GetShardIteratorRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("StreamArn", request.arn);
    json.member("ShardId", request.shard);
    json.member("ShardIteratorType", type_name(request.type));
    internal::encode_text(json, "SequenceNumber", request.sequence);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::GetRecordsRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("ShardIterator", request.iterator);
    json.member("Limit", request.limit);
    json.end_object();
}

}  // namespace gateleg::remote

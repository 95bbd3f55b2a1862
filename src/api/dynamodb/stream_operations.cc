#include "api/dynamodb/stream_operations.h"

#include <array>

#include "api/dynamodb/streams_wire.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::Streams;

using enum auth::Action;

constexpr std::array kOperations = {
    StreamOperation{
        "DescribeStream",
        {kRead, touches::stream},
        &run_service<dynamo::DescribeStreamRequest, &Streams::describe_stream, write_reply>},
    StreamOperation{
        "GetRecords",
        {kRead, touches::iterator},
        &run_service<dynamo::GetRecordsRequest, &Streams::get_records, write_reply>},
    StreamOperation{
        "GetShardIterator",
        {kRead, touches::stream},
        &run_service<dynamo::GetShardIteratorRequest, &Streams::get_shard_iterator, write_reply>},
    StreamOperation{
        "ListStreams",
        {kRead, touches::table},
        &run_service<dynamo::ListStreamsRequest, &Streams::list_streams, write_reply>},
};

}  // namespace

const StreamOperation* find_stream_operation(std::string_view name) {
    return find_among(kOperations, name);
}

}  // namespace gateleg::api::dynamodb

// The DynamoDB Streams API as JSON: from requests, and to replies.

#pragma once

#include <string>

#include "api/dynamodb/wire_reader.h"
#include "base/result.h"
#include "dynamo/streams.h"

namespace gateleg::api::dynamodb {

// As in read_request.h.
Result<void> read_request(const Fields& in, dynamo::ListStreamsRequest& request);
Result<void> read_request(const Fields& in, dynamo::DescribeStreamRequest& request);
Result<void> read_request(const Fields& in, dynamo::GetShardIteratorRequest& request);
Result<void> read_request(const Fields& in, dynamo::GetRecordsRequest& request);

// As in write_reply.h.
void write_reply(std::string& out, const dynamo::ListStreamsReply& reply);
void write_reply(std::string& out, const dynamo::DescribeStreamReply& reply);
void write_reply(std::string& out, const dynamo::GetShardIteratorReply& reply);
void write_reply(std::string& out, const dynamo::GetRecordsReply& reply);

}  // namespace gateleg::api::dynamodb

// From the type of a request to the JSON that a DynamoDB service reads. One overload per operation;
// encode_*.cc holds them by kind.
//
// What a request leaves at its default is left out: services that lack an option then still take
// the request.

#pragma once

#include <string>

#include "dynamo/requests.h"
#include "dynamo/streams.h"

namespace gateleg::remote {

// Appends one JSON object.
void encode_request(std::string& out, const dynamo::GetItemRequest& request);
void encode_request(std::string& out, const dynamo::PutItemRequest& request);
void encode_request(std::string& out, const dynamo::UpdateItemRequest& request);
void encode_request(std::string& out, const dynamo::DeleteItemRequest& request);
void encode_request(std::string& out, const dynamo::QueryRequest& request);
void encode_request(std::string& out, const dynamo::ScanRequest& request);
void encode_request(std::string& out, const dynamo::BatchGetItemRequest& request);
void encode_request(std::string& out, const dynamo::BatchWriteItemRequest& request);
void encode_request(std::string& out, const dynamo::TransactGetItemsRequest& request);
void encode_request(std::string& out, const dynamo::TransactWriteItemsRequest& request);
void encode_request(std::string& out, const dynamo::CreateTableRequest& request);
void encode_request(std::string& out, const dynamo::DescribeTableRequest& request);
void encode_request(std::string& out, const dynamo::UpdateTableRequest& request);
void encode_request(std::string& out, const dynamo::DeleteTableRequest& request);
void encode_request(std::string& out, const dynamo::ListTablesRequest& request);
void encode_request(std::string& out, const dynamo::UpdateTimeToLiveRequest& request);
void encode_request(std::string& out, const dynamo::DescribeTimeToLiveRequest& request);
void encode_request(std::string& out, const dynamo::TagResourceRequest& request);
void encode_request(std::string& out, const dynamo::UntagResourceRequest& request);
void encode_request(std::string& out, const dynamo::ListTagsOfResourceRequest& request);
void encode_request(std::string& out, const dynamo::ListStreamsRequest& request);
void encode_request(std::string& out, const dynamo::DescribeStreamRequest& request);
void encode_request(std::string& out, const dynamo::GetShardIteratorRequest& request);
void encode_request(std::string& out, const dynamo::GetRecordsRequest& request);

}  // namespace gateleg::remote

// From the JSON of a request to its type, with everything checked that needs neither a table nor an
// expression. One overload per operation; read_*.cc holds them by kind.

#pragma once

#include "api/dynamodb/wire_reader.h"
#include "base/result.h"
#include "dynamo/requests.h"

namespace gateleg::api::dynamodb {

// Fills `request` from the members at the root. On an error the request is not to be used.
Result<void> read_request(const Fields& in, dynamo::GetItemRequest& request);
Result<void> read_request(const Fields& in, dynamo::PutItemRequest& request);
Result<void> read_request(const Fields& in, dynamo::UpdateItemRequest& request);
Result<void> read_request(const Fields& in, dynamo::DeleteItemRequest& request);
Result<void> read_request(const Fields& in, dynamo::QueryRequest& request);
Result<void> read_request(const Fields& in, dynamo::ScanRequest& request);
Result<void> read_request(const Fields& in, dynamo::BatchGetItemRequest& request);
Result<void> read_request(const Fields& in, dynamo::BatchWriteItemRequest& request);
Result<void> read_request(const Fields& in, dynamo::TransactGetItemsRequest& request);
Result<void> read_request(const Fields& in, dynamo::TransactWriteItemsRequest& request);
Result<void> read_request(const Fields& in, dynamo::CreateTableRequest& request);
Result<void> read_request(const Fields& in, dynamo::DescribeTableRequest& request);
Result<void> read_request(const Fields& in, dynamo::UpdateTableRequest& request);
Result<void> read_request(const Fields& in, dynamo::DeleteTableRequest& request);
Result<void> read_request(const Fields& in, dynamo::ListTablesRequest& request);
Result<void> read_request(const Fields& in, dynamo::UpdateTimeToLiveRequest& request);
Result<void> read_request(const Fields& in, dynamo::DescribeTimeToLiveRequest& request);
Result<void> read_request(const Fields& in, dynamo::TagResourceRequest& request);
Result<void> read_request(const Fields& in, dynamo::UntagResourceRequest& request);
Result<void> read_request(const Fields& in, dynamo::ListTagsOfResourceRequest& request);

// Parts that several requests share.

// The table's name, also out of an ARN. A bad one is reported alone, before anything else.
Result<std::string> read_table_name(const Fields& in, std::size_t min_length = 1);
dynamo::Placeholders read_placeholders(const Fields& in);
dynamo::ReturnCapacity read_return_capacity(const Fields& in);
bool read_return_collection_metrics(const Fields& in);
bool read_return_old_on_failure(const Fields& in);
// Of a resource policy as much as a table can refuse without knowing accounts and actions.
Result<void> check_resource_policy(const std::string& text);
// A time in milliseconds; on the wire it is a number of seconds, with or without a fraction.
std::optional<std::int64_t> read_time(const Fields& in, std::string_view name);

}  // namespace gateleg::api::dynamodb

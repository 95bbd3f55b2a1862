// From the JSON that a DynamoDB service answers with to the type of the reply. One overload per
// reply; decode_*.cc holds them by kind.
//
// Members we do not know are passed over. A body that is not what the service documents is an
// error of the service, never one of the caller.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "dynamo/replies.h"
#include "dynamo/streams.h"

namespace gateleg::remote {

// `reply` is a new one. Fails with kInternal and the member that is wrong; `reply` is then not to
// be used.
Result<void> decode_reply(std::string_view body, dynamo::GetItemReply& reply);
// PutItem, UpdateItem and DeleteItem.
Result<void> decode_reply(std::string_view body, dynamo::ItemWriteReply& reply);
// Query and Scan.
Result<void> decode_reply(std::string_view body, dynamo::PageReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::BatchGetItemReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::BatchWriteItemReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::TransactGetItemsReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::TransactWriteItemsReply& reply);
// CreateTable, UpdateTable, DeleteTable and DescribeTable.
Result<void> decode_reply(std::string_view body, dynamo::TableReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::ListTablesReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::TimeToLiveSpecification& reply);
Result<void> decode_reply(std::string_view body, dynamo::TimeToLiveDescription& reply);
Result<void> decode_reply(std::string_view body, dynamo::ListTagsReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::ListStreamsReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::DescribeStreamReply& reply);
Result<void> decode_reply(std::string_view body, dynamo::GetShardIteratorReply& reply);
// A reply to GetRecords says nothing of the view and the region of its stream.
Result<void> decode_reply(std::string_view body, dynamo::GetRecordsReply& reply);
// TagResource and UntagResource, whose body is empty.
Result<void> decode_reply(std::string_view body, dynamo::Empty& reply);

// An answer that is not 200.
struct StoreError {
    Error error;
    // As the service names it, without its namespace: "ThrottlingException". Empty if it did not.
    std::string type;
};

// `error_type` is the header x-amzn-errortype; the body's own __type comes first. A status with
// neither gives kInternal from 500 on and kValidation below.
StoreError decode_error(int status, std::string_view error_type, std::string_view body);

}  // namespace gateleg::remote

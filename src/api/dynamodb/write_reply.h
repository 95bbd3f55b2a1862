// From a reply's type to its JSON. One overload per reply.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json_writer.h"
#include "dynamo/replies.h"

namespace gateleg::api::dynamodb {

void write_reply(std::string& out, const dynamo::GetItemReply& reply);
void write_reply(std::string& out, const dynamo::ItemWriteReply& reply);
void write_reply(std::string& out, const dynamo::PageReply& reply);
void write_reply(std::string& out, const dynamo::BatchGetItemReply& reply);
void write_reply(std::string& out, const dynamo::BatchWriteItemReply& reply);
void write_reply(std::string& out, const dynamo::TransactGetItemsReply& reply);
void write_reply(std::string& out, const dynamo::TransactWriteItemsReply& reply);
void write_reply(std::string& out, const dynamo::ListTablesReply& reply);
void write_reply(std::string& out, const dynamo::TimeToLiveSpecification& reply);
void write_reply(std::string& out, const dynamo::TimeToLiveDescription& reply);
void write_reply(std::string& out, const dynamo::ListTagsReply& reply);
// TagResource and UntagResource answer with no body at all.
void write_reply(std::string& out, const dynamo::Empty& reply);

// CreateTable, UpdateTable and DeleteTable put the table under TableDescription, DescribeTable
// under Table.
void write_table(std::string& out, std::string_view member, const dynamo::TableDescription& table);

// One member: seconds with a fraction, as the JSON protocol writes times.
void write_time(JsonWriter& json, std::string_view member, std::int64_t millis);

// {"__type": ..., "message": ...} with what the error carries.
void write_error(std::string& out, const Error& error);

}  // namespace gateleg::api::dynamodb

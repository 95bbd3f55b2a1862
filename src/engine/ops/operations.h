// One function per operation of the API; each has a file of its own.

#pragma once

#include "dynamo/dynamo.h"
#include "dynamo/hot_keys.h"
#include "dynamo/partition_reader.h"
#include "dynamo/table_settings.h"
#include "engine/core.h"

namespace gateleg::engine::ops {

using dynamo::Done;

// NOLINTBEGIN(readability-avoid-const-params-in-decls)
void get_item(const Core&, dynamo::GetItemRequest, Done<dynamo::GetItemRequest>);
void put_item(const Core&, dynamo::PutItemRequest, Done<dynamo::PutItemRequest>);
void update_item(const Core&, dynamo::UpdateItemRequest, Done<dynamo::UpdateItemRequest>);
void delete_item(const Core&, dynamo::DeleteItemRequest, Done<dynamo::DeleteItemRequest>);
void query(const Core&, dynamo::QueryRequest, Done<dynamo::QueryRequest>);
void scan(const Core&, dynamo::ScanRequest, Done<dynamo::ScanRequest>);
void batch_get_item(const Core&, dynamo::BatchGetItemRequest, Done<dynamo::BatchGetItemRequest>);
void batch_write_item(const Core&, dynamo::BatchWriteItemRequest, Done<dynamo::BatchWriteItemRequest>);
void transact_get_items(const Core&, dynamo::TransactGetItemsRequest, Done<dynamo::TransactGetItemsRequest>);
void transact_write_items(const Core&, dynamo::TransactWriteItemsRequest, Done<dynamo::TransactWriteItemsRequest>);

void create_table(const Core&, dynamo::CreateTableRequest, Done<dynamo::CreateTableRequest>);
void describe_table(const Core&, dynamo::DescribeTableRequest, Done<dynamo::DescribeTableRequest>);
void update_table(const Core&, dynamo::UpdateTableRequest, Done<dynamo::UpdateTableRequest>);
void delete_table(const Core&, dynamo::DeleteTableRequest, Done<dynamo::DeleteTableRequest>);
void list_tables(const Core&, dynamo::ListTablesRequest, Done<dynamo::ListTablesRequest>);
void update_time_to_live(const Core&, dynamo::UpdateTimeToLiveRequest, Done<dynamo::UpdateTimeToLiveRequest>);
void describe_time_to_live(const Core&, dynamo::DescribeTimeToLiveRequest, Done<dynamo::DescribeTimeToLiveRequest>);
void tag_resource(const Core&, dynamo::TagResourceRequest, Done<dynamo::TagResourceRequest>);
void untag_resource(const Core&, dynamo::UntagResourceRequest, Done<dynamo::UntagResourceRequest>);
void list_tags_of_resource(const Core&, dynamo::ListTagsOfResourceRequest, Done<dynamo::ListTagsOfResourceRequest>);
void get_table_settings(const Core&, dynamo::GetTableSettingsRequest, Done<dynamo::GetTableSettingsRequest>);
void change_table_setting(const Core&, dynamo::ChangeTableSettingRequest, Done<dynamo::ChangeTableSettingRequest>);
// Not of the API: what the console's view of item collections goes by.
Result<dynamo::PartitionsReply> read_partitions(const Core&, const dynamo::PartitionsRequest&);
dynamo::HotKeysReply read_hot_keys(const Core&, const dynamo::HotKeysRequest&);
// NOLINTEND(readability-avoid-const-params-in-decls)

}  // namespace gateleg::engine::ops

#include "api/dynamodb/write_reply.h"

#include <gtest/gtest.h>

#include "api/dynamodb/test_wire.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::ConsumedCapacity;

ConsumedCapacity capacity(ConsumedCapacity::Kind kind, bool show_indexes) {
    return {
        .table = "t",
        .units = 3.5,
        .table_units = 1,
        .global_indexes = {{"g", 2}},
        .local_indexes = {{"l", 0.5}},
        .show_indexes = show_indexes,
        .kind = kind};
}

void add(dynamo::ItemBuffer& items, std::string_view json) {
    items.bytes_for_next().append(item(json).bytes());
}

TEST(WriteReplyTest, Items) {
    EXPECT_EQ(written(dynamo::GetItemReply{}), "{}");
    EXPECT_EQ(
        written(dynamo::GetItemReply{
            .item = item(R"({"b":{"N":"1.50"},"a":{"S":"x\n"}})"),
            .capacity = capacity(ConsumedCapacity::Kind::kPlain, false)}),
        R"({"Item":{"a":{"S":"x\n"},"b":{"N":"1.5"}},)"
        R"("ConsumedCapacity":{"TableName":"t","CapacityUnits":3.5}})"
    );
    EXPECT_EQ(written(dynamo::ItemWriteReply{}), "{}");
    EXPECT_EQ(
        written(dynamo::ItemWriteReply{
            .attributes = item(R"({"a":{"NULL":true}})"),
            .capacity = capacity(ConsumedCapacity::Kind::kPlain, true),
            .collection_metrics = dynamo::ItemCollectionMetrics{.key = item(R"({"p":{"S":"x"}})")}}
        ),
        R"({"Attributes":{"a":{"NULL":true}},"ConsumedCapacity":{"TableName":"t",)"
        R"("CapacityUnits":3.5,"Table":{"CapacityUnits":1},)"
        R"("LocalSecondaryIndexes":{"l":{"CapacityUnits":0.5}},)"
        R"("GlobalSecondaryIndexes":{"g":{"CapacityUnits":2}}},)"
        R"("ItemCollectionMetrics":{"ItemCollectionKey":{"p":{"S":"x"}},)"
        R"("SizeEstimateRangeGB":[0,1]}})"
    );
}

TEST(WriteReplyTest, Pages) {
    dynamo::PageReply page;
    EXPECT_EQ(written(page), R"({"Count":0,"ScannedCount":0,"Items":[]})");
    add(page.items, R"({"a":{"S":"x"}})");
    add(page.items, R"({"a":{"S":"y"}})");
    page.count = 2;
    page.scanned_count = 5;
    page.last_evaluated_key = item(R"({"a":{"S":"z"}})");
    EXPECT_EQ(
        written(page),
        R"({"Count":2,"ScannedCount":5,"Items":[{"a":{"S":"x"}},{"a":{"S":"y"}}],)"
        R"("LastEvaluatedKey":{"a":{"S":"z"}}})"
    );
    dynamo::PageReply counted;
    counted.count_only = true;
    counted.count = 3;
    counted.scanned_count = 3;
    EXPECT_EQ(written(counted), R"({"Count":3,"ScannedCount":3})");
}

TEST(WriteReplyTest, Batches) {
    dynamo::BatchGetItemReply get;
    get.tables.push_back({.name = "t"});
    add(get.tables[0].items, R"({"a":{"S":"x"}})");
    dynamo::KeysAndAttributes left{.table = "u", .keys = {item(R"({"a":{"S":"z"}})")}};
    left.projection = "#a";
    left.placeholders.names.emplace().emplace_back("#a", "a");
    left.consistent_read = true;
    get.unprocessed.push_back(std::move(left));
    EXPECT_EQ(
        written(get),
        R"({"Responses":{"t":[{"a":{"S":"x"}}]},"UnprocessedKeys":{"u":{"Keys":[{"a":{"S":"z"}}],)"
        R"("ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"a"},)"
        R"("ConsistentRead":true}}})"
    );
    EXPECT_EQ(written(dynamo::BatchWriteItemReply{}), R"({"UnprocessedItems":{}})");
}

TEST(WriteReplyTest, Transactions) {
    dynamo::TransactGetItemsReply get;
    get.items.push_back(item(R"({"a":{"S":"x"}})"));
    get.items.push_back(std::nullopt);
    get.capacity.push_back(capacity(ConsumedCapacity::Kind::kTransactRead, false));
    EXPECT_EQ(
        written(get),
        R"({"Responses":[{"Item":{"a":{"S":"x"}}},{}],"ConsumedCapacity":[{"TableName":"t",)"
        R"("CapacityUnits":3.5,"ReadCapacityUnits":3.5}]})"
    );
    dynamo::TransactWriteItemsReply write;
    EXPECT_EQ(written(write), "{}");
    write.collection_metrics.push_back({"t", {{.key = item(R"({"p":{"S":"x"}})")}}});
    EXPECT_EQ(
        written(write),
        R"({"ItemCollectionMetrics":{"t":[{"ItemCollectionKey":{"p":{"S":"x"}},)"
        R"("SizeEstimateRangeGB":[0,1]}]}})"
    );
}

TEST(WriteReplyTest, SettingsOfTables) {
    EXPECT_EQ(
        written(dynamo::ListTablesReply{.names = {"a", "b"}, .last_evaluated = "b"}),
        R"({"TableNames":["a","b"],"LastEvaluatedTableName":"b"})"
    );
    EXPECT_EQ(
        written(dynamo::TimeToLiveSpecification{.attribute = "e", .enabled = true}),
        R"({"TimeToLiveSpecification":{"AttributeName":"e","Enabled":true}})"
    );
    EXPECT_EQ(
        written(dynamo::TimeToLiveDescription{}),
        R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})"
    );
    EXPECT_EQ(
        written(dynamo::TimeToLiveDescription{.attribute = "e"}),
        R"({"TimeToLiveDescription":{"AttributeName":"e","TimeToLiveStatus":"ENABLED"}})"
    );
    EXPECT_EQ(
        written(dynamo::ListTagsReply{.tags = {{"k", "v"}}, .next_token = "k"}),
        R"({"Tags":[{"Key":"k","Value":"v"}],"NextToken":"k"})"
    );
    EXPECT_EQ(written(dynamo::Empty{}), "");
}

TEST(WriteReplyTest, TableDescription) {
    dynamo::TableDescription table;
    table.name = "abc";
    table.arn = "arn:abc";
    table.id = "id";
    table.created_millis = 1'750'000'000'005;
    table.attributes = {{"a", value::Type::kString}};
    table.key_schema = {{"a", dynamo::KeyRole::kHash}};
    table.billing_mode = dynamo::BillingMode::kPayPerRequest;
    table.on_demand_since_millis = 1'750'000'000'120;
    table.item_count = 2;
    table.size_bytes = 20;
    table.global_indexes.push_back(
        {.definition =
             {.name = "by-a",
              .key_schema = {{"a", dynamo::KeyRole::kHash}},
              .projection =
                  {.type = dynamo::ProjectionType::kInclude, .non_key_attributes = {"x"}}},
         .status = dynamo::Status::kCreating,
         .backfilling = true,
         .item_count = 1,
         .size_bytes = 10,
         .arn = "arn:abc/index/by-a"}
    );
    std::string out;
    write_table(out, "Table", table);
    EXPECT_EQ(
        out,
        R"({"Table":{"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
        R"("TableName":"abc","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
        R"("TableStatus":"ACTIVE","CreationDateTime":1750000000.005,)"
        R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,)"
        R"("WriteCapacityUnits":0},"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST",)"
        R"("LastUpdateToPayPerRequestDateTime":1750000000.120},"TableSizeBytes":20,)"
        R"("ItemCount":2,"TableArn":"arn:abc","TableId":"id","GlobalSecondaryIndexes":[)"
        R"({"IndexName":"by-a","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
        R"("Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]},)"
        R"("IndexStatus":"CREATING","Backfilling":true,"ProvisionedThroughput":)"
        R"({"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0},)"
        R"("IndexSizeBytes":10,"ItemCount":1,"IndexArn":"arn:abc/index/by-a"}],)"
        R"("DeletionProtectionEnabled":false}})"
    );
}

std::string error_text(const Error& error) {
    std::string out;
    write_error(out, error);
    return out;
}

TEST(WriteReplyTest, Errors) {
    EXPECT_EQ(
        error_text(validation_error("a \"b\"")),
        R"({"__type":"com.amazonaws.dynamodb.v20120810#ValidationException","message":"a \"b\""})"
    );
    EXPECT_EQ(
        error_text(
            {ErrorCode::kConditionalCheckFailed,
             "failed",
             std::make_shared<dynamo::FailedItem>(item(R"({"a":{"S":"x"}})"))}
        ),
        R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
        R"("message":"failed","Item":{"a":{"S":"x"}}})"
    );
    EXPECT_EQ(
        error_text(
            {ErrorCode::kTransactionCanceled,
             "cancelled",
             std::make_shared<dynamo::CancellationReasons>(std::vector<dynamo::CancellationReason>{
                 {},
                 {.code = "ConditionalCheckFailed",
                  .message = "The conditional request failed",
                  .item = item(R"({"a":{"S":"x"}})")}})}
        ),
        R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
        R"("message":"cancelled","CancellationReasons":[{"Code":"None"},)"
        R"({"Code":"ConditionalCheckFailed","Message":"The conditional request failed",)"
        R"("Item":{"a":{"S":"x"}}}]})"
    );
}

}  // namespace
}  // namespace gateleg::api::dynamodb

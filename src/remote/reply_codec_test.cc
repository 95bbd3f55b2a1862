#include <gtest/gtest.h>

#include "api/dynamodb/write_reply.h"
#include "remote/decode_reply.h"
#include "remote/test_calls.h"

// Replies are written by the DynamoDB face, decoded here and written again: the same text.

namespace gateleg::remote {
namespace {

using namespace dynamo;  // NOLINT(google-build-using-namespace): the types under test

constexpr std::string_view kItem =
    R"({"b":{"B":"AAH/"},"l":{"L":[{"NULL":true},{"N":"1"}]},"pk":{"S":"a \"b\" \n é"}})";

template <class Reply>
std::string text_of(const Reply& reply) {
    std::string json;
    api::dynamodb::write_reply(json, reply);
    return json;
}

std::string text_of(const TableReply& reply) {
    std::string json;
    api::dynamodb::write_table(json, "TableDescription", reply.table);
    return json;
}

template <class Reply>
void expect_round_trip(const Reply& reply) {
    const auto json = text_of(reply);
    Reply decoded;
    const auto result = decode_reply(json, decoded);
    ASSERT_TRUE(result) << result.error().message << "\n" << json;
    EXPECT_EQ(json, text_of(decoded));
}

template <class Reply>
std::string complaint_about(std::string_view json) {
    Reply reply;
    const auto result = decode_reply(json, reply);
    return result ? "none" : result.error().message;
}

ConsumedCapacity capacity(ConsumedCapacity::Kind kind = ConsumedCapacity::Kind::kPlain) {
    return {
        .table = "Orders",
        .units = 3.5,
        .table_units = 1.5,
        .global_indexes = {{"g", 1}},
        .local_indexes = {{"l", 1}},
        .show_indexes = true,
        .kind = kind,
    };
}

ItemCollectionMetrics metrics() {
    return {.key = item_of(R"({"pk":{"S":"a"}})"), .size_gb_lower = 1, .size_gb_upper = 2};
}

ItemBuffer two_items() {
    ItemBuffer items;
    items.bytes_for_next().append(item_of(kItem).bytes());
    items.bytes_for_next().append(item_of("{}").bytes());
    return items;
}

TEST(ReplyCodecTest, Items) {
    expect_round_trip(GetItemReply{});
    expect_round_trip(GetItemReply{.item = item_of(kItem), .capacity = capacity()});
    expect_round_trip(ItemWriteReply{});
    expect_round_trip(ItemWriteReply{
        .attributes = item_of(kItem), .capacity = capacity(), .collection_metrics = metrics()});
}

TEST(ReplyCodecTest, Pages) {
    PageReply page{.items = two_items(), .count = 2, .scanned_count = 9};
    page.last_evaluated_key = item_of(R"({"pk":{"S":"a"}})");
    page.capacity = capacity();
    expect_round_trip(page);
    expect_round_trip(PageReply{.count_only = true, .count = 4, .scanned_count = 5});
}

TEST(ReplyCodecTest, Batches) {
    BatchGetItemReply get;
    get.tables.push_back({"Orders", two_items()});
    get.tables.push_back({"Users", {}});
    get.unprocessed.push_back(
        {.table = "Users",
         .keys = {item_of(kItem)},
         .projection = "#a",
         .placeholders = placeholders({{"#a", "x"}}),
         .consistent_read = true}
    );
    get.capacity.push_back(capacity());
    expect_round_trip(get);

    BatchWriteItemReply write;
    write.unprocessed.push_back(
        {"Orders", {{item_of(kItem), false}, {item_of(R"({"pk":{"S":"a"}})"), true}}}
    );
    write.capacity.push_back(capacity());
    write.collection_metrics.push_back({"Orders", {metrics(), metrics()}});
    expect_round_trip(write);
}

TEST(ReplyCodecTest, Transactions) {
    TransactGetItemsReply get;
    get.items = {item_of(kItem), std::nullopt, item_of("{}")};
    get.capacity.push_back(capacity(ConsumedCapacity::Kind::kTransactRead));
    expect_round_trip(get);
    TransactWriteItemsReply write;
    write.capacity.push_back(capacity(ConsumedCapacity::Kind::kTransactWrite));
    write.collection_metrics.push_back({"Orders", {metrics()}});
    expect_round_trip(write);
}

TEST(ReplyCodecTest, Table) {
    TableDescription table{
        .name = "Orders",
        .arn = "arn:aws:dynamodb:us-east-1:1:table/Orders",
        .id = "id",
        .status = Status::kUpdating,
        .created_millis = 1'700'000'000'123,
        .attributes = {{"pk", value::Type::kString}, {"sk", value::Type::kNumber}},
        .key_schema = {{"pk", KeyRole::kHash}, {"sk", KeyRole::kRange}},
        .billing_mode = BillingMode::kPayPerRequest,
        .on_demand_since_millis = 1'700'000'001'001,
        .on_demand = OnDemandThroughput{5, 6},
        .item_count = 3,
        .size_bytes = 300,
        .deletion_protection = true,
        .table_class = TableClass::kInfrequentAccess,
        .encryption = ServerSideEncryption{true, "key"},
        .stream_view = StreamView::kOldImage,
        .latest_stream_arn = "arn:stream",
        .latest_stream_label = "label",
    };
    const IndexDescription index{
        .definition =
            {.name = "index",
             .key_schema = {{"pk", KeyRole::kHash}},
             .projection = {ProjectionType::kInclude, {"a", "b"}},
             .throughput = Throughput{1, 2}},
        .status = Status::kCreating,
        .backfilling = true,
        .item_count = 1,
        .size_bytes = 2,
        .arn = "arn:index",
    };
    table.global_indexes = {index, index};
    table.local_indexes = {index};
    expect_round_trip(TableReply{table});
    expect_round_trip(TableReply{{.name = "Plain", .throughput = {7, 8}}});

    std::string described;
    api::dynamodb::write_table(described, "Table", table);
    TableReply decoded;
    ASSERT_TRUE(decode_reply(described, decoded));
    EXPECT_EQ(decoded.table.name, "Orders");
    EXPECT_EQ(decoded.table.created_millis, table.created_millis);
}

TEST(ReplyCodecTest, TheRest) {
    expect_round_trip(ListTablesReply{{"A", "B"}, "B"});
    expect_round_trip(TimeToLiveSpecification{"ttl", true});
    expect_round_trip(TimeToLiveDescription{});
    expect_round_trip(TimeToLiveDescription{"ttl"});
    expect_round_trip(ListTagsReply{{{"a", "b"}, {"c", ""}}, "token"});
    Empty nothing;
    EXPECT_TRUE(decode_reply("", nothing));
    TimeToLiveDescription leaving;
    ASSERT_TRUE(decode_reply(
        R"({"TimeToLiveDescription":{"AttributeName":"ttl","TimeToLiveStatus":"DISABLING"}})",
        leaving
    ));
    EXPECT_FALSE(leaving.attribute);
}

TEST(ReplyCodecTest, UnknownMembersArePassedOver) {
    EXPECT_EQ(complaint_about<GetItemReply>(R"({"New":{"x":[1]},"Item":{"a":{"S":"b"}}})"), "none");
}

TEST(ReplyCodecTest, WhatCannotBeReadIsNamed) {
    EXPECT_EQ(complaint_about<GetItemReply>(R"([])"), "the body is not an object");
    EXPECT_NE(
        complaint_about<GetItemReply>(R"({"Item":{"a":)").find("not valid JSON"), std::string::npos
    );
    EXPECT_NE(complaint_about<GetItemReply>(""), "none");
    EXPECT_NE(complaint_about<GetItemReply>(R"({"Item":{"a":{"N":"x"}}})"), "none");
    EXPECT_EQ(complaint_about<PageReply>(R"({"Items":{}})"), "Items is not a list");
    EXPECT_EQ(complaint_about<PageReply>(R"({"Count":"1"})"), "Count is not a whole number");
    EXPECT_NE(complaint_about<PageReply>(R"({"Items":[{"a":{"S":1}}]})"), "none");
    EXPECT_EQ(complaint_about<TableReply>("{}"), "TableDescription is not there");
    EXPECT_EQ(
        complaint_about<ListTablesReply>(R"({"TableNames":[1]})"),
        "TableNames is not a list of strings"
    );
    EXPECT_NE(complaint_about<BatchWriteItemReply>(R"({"UnprocessedItems":{"T":[{}]}})"), "none");
    EXPECT_NE(complaint_about<BatchGetItemReply>(R"({"Responses":{"T":{}}})"), "none");
}

TEST(ErrorCodecTest, EveryCodeComesBackAsItself) {
    for (int code = 0; code <= static_cast<int>(ErrorCode::kValidation); ++code) {
        const Error error{static_cast<ErrorCode>(code), "why \"so\""};
        std::string json;
        api::dynamodb::write_error(json, error);
        const auto decoded = decode_error(http_status(error.code), "", json);
        EXPECT_EQ(decoded.error.code, error.code) << json;
        EXPECT_EQ(decoded.error.message, error.message);
        EXPECT_EQ(decoded.type, wire_name(error.code));
    }
}

TEST(ErrorCodecTest, DetailsComeBack) {
    for (const auto& detail : std::vector<std::shared_ptr<const ErrorDetail>>{
             std::make_shared<FailedItem>(item_of(kItem)),
             std::make_shared<CancellationReasons>(std::vector<CancellationReason>{
                 {}, {"ConditionalCheckFailed", "failed", item_of(kItem)}})}) {
        std::string json;
        api::dynamodb::write_error(json, {ErrorCode::kTransactionCanceled, "m", detail});
        std::string again;
        api::dynamodb::write_error(again, decode_error(400, "", json).error);
        EXPECT_EQ(json, again);
    }
}

TEST(ErrorCodecTest, TypeIsFoundInHeaderAndInOtherForms) {
    const auto code = [](int status, std::string_view header, std::string_view body) {
        return decode_error(status, header, body).error.code;
    };
    EXPECT_EQ(
        code(400, "ThrottlingException:http://internal.amazon.com/coral/", ""),
        ErrorCode::kThrottling
    );
    EXPECT_EQ(
        code(400, "", R"({"__type":"com.amazon.coral.service#UnrecognizedClientException"})"),
        ErrorCode::kUnrecognizedClient
    );
    EXPECT_EQ(
        code(400, "", R"({"__type":"ProvisionedThroughputExceededException"})"),
        ErrorCode::kThrottling
    );
    EXPECT_EQ(code(502, "", "<html>Bad Gateway</html>"), ErrorCode::kInternal);
    EXPECT_EQ(code(503, "", ""), ErrorCode::kServiceUnavailable);
    EXPECT_EQ(code(429, "", ""), ErrorCode::kThrottling);
    EXPECT_EQ(code(301, "", ""), ErrorCode::kValidation);
    EXPECT_EQ(
        decode_error(400, "", R"({"__type":"x#OddException","Message":"why"})").error.message,
        "OddException: why"
    );
    EXPECT_EQ(decode_error(418, "", "").error.message, "HTTP status 418");
}

}  // namespace
}  // namespace gateleg::remote

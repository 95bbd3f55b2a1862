#include <gtest/gtest.h>

#include "api/dynamodb/read_request.h"
#include "remote/encode_request.h"
#include "remote/test_calls.h"

// Requests go through the reader of the DynamoDB face: what it understood is encoded again and must
// give the same text.

namespace gateleg::remote {
namespace {

using namespace dynamo;  // NOLINT(google-build-using-namespace): the types under test

constexpr std::string_view kKey = R"({"pk":{"S":"a \"b\" \n"},"sk":{"N":"1.5"}})";

template <class Request>
void expect_round_trip(const Request& request, std::string_view must_hold = "") {
    std::string json;
    encode_request(json, request);
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    ASSERT_EQ(parser.parse(json).get(root), simdjson::SUCCESS) << json;
    api::dynamodb::Problems problems;
    Request understood;
    const auto read =
        api::dynamodb::read_request(api::dynamodb::Fields(problems, root), understood);
    ASSERT_TRUE(read) << read.error().message << "\n" << json;
    std::string again;
    encode_request(again, understood);
    EXPECT_EQ(json, again);
    EXPECT_NE(json.find(must_hold), std::string::npos) << json;
}

ItemWrite guarded_write() {
    return {
        .table = "Orders",
        .condition = "#a = :a",
        .placeholders = placeholders({{"#a", "x\"y"}, {"#b", "z"}}, R"({":a":{"B":"AAH/"}})"),
        .return_old_on_failure = true,
    };
}

TEST(RequestCodecTest, GetItem) {
    expect_round_trip(GetItemRequest{.table = "Orders", .key = item_of(kKey)});
    expect_round_trip(
        GetItemRequest{
            .table = "Orders",
            .key = item_of(kKey),
            .projection = "#a, b",
            .placeholders = placeholders({{"#a", "size"}}),
            .consistent_read = true,
            .return_capacity = ReturnCapacity::kIndexes,
        },
        R"("ReturnConsumedCapacity":"INDEXES")"
    );
}

TEST(RequestCodecTest, PutItemWithEveryType) {
    expect_round_trip(
        PutItemRequest{
            .write = guarded_write(),
            .options =
                {.return_values = ReturnValues::kAllOld,
                 .return_capacity = ReturnCapacity::kTotal,
                 .return_collection_metrics = true},
            .item = item_of(R"({"pk":{"S":"é"},"n":{"N":"-1E+3"},"b":{"B":"AAEC"},"t":{"BOOL":true},
                "u":{"NULL":true},"l":{"L":[{"S":""},{"M":{"x":{"N":"0"}}}]},"m":{"M":{}},
                "ss":{"SS":["b","a"]},"ns":{"NS":["2","1"]},"bs":{"BS":["AA=="]}})"),
        },
        R"("ReturnItemCollectionMetrics":"SIZE")"
    );
}

TEST(RequestCodecTest, UpdateItemWithEachReturnValue) {
    for (const auto values :
         {ReturnValues::kNone,
          ReturnValues::kAllOld,
          ReturnValues::kUpdatedOld,
          ReturnValues::kAllNew,
          ReturnValues::kUpdatedNew}) {
        expect_round_trip(
            UpdateItemRequest{
                .write = guarded_write(),
                .options = {.return_values = values},
                .key = item_of(kKey),
                .update = "SET #b = :a",
            },
            "UpdateExpression"
        );
    }
}

TEST(RequestCodecTest, DeleteItem) {
    expect_round_trip(DeleteItemRequest{
        .write = guarded_write(), .options = {}, .key = item_of(kKey)});
}

TEST(RequestCodecTest, QueryAndScan) {
    ReadPage page{
        .table = "Orders",
        .index = "byDate",
        .filter = "#a > :a",
        .projection = "#b",
        .placeholders = placeholders({{"#a", "x"}, {"#b", "y"}}, R"({":a":{"N":"1"}})"),
        .exclusive_start_key = item_of(kKey),
        .limit = 7,
        .consistent_read = true,
        .return_capacity = ReturnCapacity::kTotal,
    };
    expect_round_trip(
        QueryRequest{.page = page, .key_condition = "pk = :a", .forward = false},
        R"("ScanIndexForward":false)"
    );
    for (const auto select :
         {Select::kUnset,
          Select::kAllAttributes,
          Select::kAllProjectedAttributes,
          Select::kSpecificAttributes,
          Select::kCount}) {
        page.select = select;
        expect_round_trip(
            ScanRequest{.page = page, .segment = 2, .total_segments = 5}, R"("Segment":2)"
        );
    }
    expect_round_trip(ScanRequest{.page = {.table = "Orders"}});
}

TEST(RequestCodecTest, Batches) {
    expect_round_trip(
        BatchGetItemRequest{
            .tables =
                {{.table = "Orders",
                  .keys = {item_of(kKey), item_of(R"({"pk":{"S":"b"}})")},
                  .projection = "#a",
                  .placeholders = placeholders({{"#a", "x"}}),
                  .consistent_read = true},
                 {.table = "Users", .keys = {item_of(kKey)}}},
            .return_capacity = ReturnCapacity::kTotal},
        "ConsistentRead"
    );
    expect_round_trip(
        BatchWriteItemRequest{
            .tables =
                {{.name = "Orders",
                  .writes =
                      {{.item = item_of(kKey), .is_delete = false},
                       {.item = item_of(R"({"pk":{"S":"b"}})"), .is_delete = true}}}},
            .return_capacity = ReturnCapacity::kIndexes,
            .return_collection_metrics = true},
        "DeleteRequest"
    );
}

TEST(RequestCodecTest, Transactions) {
    expect_round_trip(TransactGetItemsRequest{
        .gets = {
            {.table = "Orders",
             .key = item_of(kKey),
             .projection = "#a",
             .placeholders = placeholders({{"#a", "x"}})},
            {.table = "Users", .key = item_of(kKey)}}});
    TransactWriteItemsRequest request;
    for (const auto kind :
         {TransactAction::kConditionCheck,
          TransactAction::kPut,
          TransactAction::kUpdate,
          TransactAction::kDelete}) {
        auto& action = request.actions.emplace_back();
        action.kind = kind;
        action.write = guarded_write();
        action.item = item_of(kKey);
        if (kind == TransactAction::kUpdate) {
            action.update = "SET #b = :a";
        }
    }
    request.client_request_token = "token";
    request.return_capacity = ReturnCapacity::kTotal;
    request.return_collection_metrics = true;
    expect_round_trip(request, R"("ClientRequestToken":"token")");
}

IndexDefinition index_named(std::string name) {
    return {
        .name = std::move(name),
        .key_schema = {{"x", KeyRole::kHash}, {"y", KeyRole::kRange}},
        .projection = {.type = ProjectionType::kInclude, .non_key_attributes = {"z"}},
    };
}

TEST(RequestCodecTest, CreateTable) {
    CreateTableRequest request{
        .table = "Orders",
        .attributes =
            {{"pk", value::Type::kString},
             {"sk", value::Type::kNumber},
             {"x", value::Type::kBinary}},
        .key_schema = {{"pk", KeyRole::kHash}, {"sk", KeyRole::kRange}},
        .billing_mode = BillingMode::kPayPerRequest,
        .on_demand = OnDemandThroughput{5, -1},
        .table_class = TableClass::kInfrequentAccess,
        .encryption = ServerSideEncryption{true, "key"},
        .stream = StreamSpecification{true, StreamView::kNewAndOldImages},
        .deletion_protection = true,
        .tags = {{"a", "b"}, {"c", ""}},
        .resource_policy = R"({"Statement":{"Effect":"Deny","Resource":"*"}})",
    };
    request.local_indexes.emplace().push_back(index_named("local"));
    auto& global = request.global_indexes.emplace().emplace_back(index_named("global"));
    global.throughput = Throughput{3, 4};
    global.projection = {.type = ProjectionType::kKeysOnly};
    expect_round_trip(request, R"("DeletionProtectionEnabled":true)");
}

TEST(RequestCodecTest, UpdateTable) {
    UpdateTableRequest request{
        .table = "Orders",
        .attributes = {{"x", value::Type::kString}},
        .billing_mode = BillingMode::kProvisioned,
        .throughput = Throughput{1, 2},
        .table_class = TableClass::kStandard,
        .encryption = ServerSideEncryption{false, ""},
        .stream = StreamSpecification{false, std::nullopt},
        .deletion_protection = false,
    };
    auto& updates = request.index_updates.emplace();
    updates.push_back({.create = index_named("new")});
    updates.push_back({.update = UpdateTableRequest::IndexThroughput{"old", Throughput{5, 6}, {}}});
    updates.push_back({.remove = "gone"});
    expect_round_trip(request, R"("Delete":{"IndexName":"gone"})");
}

TEST(RequestCodecTest, TheRest) {
    expect_round_trip(DescribeTableRequest{.table = "Orders"});
    expect_round_trip(DeleteTableRequest{.table = "Orders"});
    expect_round_trip(ListTablesRequest{.exclusive_start = "A", .limit = 3}, R"("Limit":3)");
    expect_round_trip(UpdateTimeToLiveRequest{
        .table = "Orders", .specification = {.attribute = "ttl", .enabled = true}});
    expect_round_trip(DescribeTimeToLiveRequest{.table = "Orders"});
    expect_round_trip(TagResourceRequest{.arn = "arn:x", .tags = {{"a", "b"}}});
    expect_round_trip(UntagResourceRequest{.arn = "arn:x", .keys = {"a", "b"}});
    expect_round_trip(ListTagsOfResourceRequest{.arn = "arn:x", .next_token = "t"}, "NextToken");
}

}  // namespace
}  // namespace gateleg::remote

#include "api/dynamodb/read_request.h"

#include <gtest/gtest.h>

#include "api/dynamodb/test_wire.h"

namespace gateleg::api::dynamodb {
namespace {

TEST(ReadRequestTest, TableNamesAreCheckedAloneAndFirst) {
    expect_problems<dynamo::GetItemRequest>({
        {R"({})",
         "ValidationException: 1 validation error detected: Value null at 'tableName' failed to "
         "satisfy constraint: Member must not be null"},
        {R"({"TableName":null})",
         "ValidationException: 1 validation error detected: Value null at 'tableName' failed to "
         "satisfy constraint: Member must not be null"},
        {R"({"TableName":""})",
         "ValidationException: 1 validation error detected: Value '' at 'tableName' failed to "
         "satisfy constraint: Member must have length greater than or equal to 1"},
        {R"({"TableName":"a b"})",
         "ValidationException: 1 validation error detected: Value 'a b' at 'tableName' failed to "
         "satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
        {R"({"TableName":5})",
         "SerializationException: NUMBER_VALUE cannot be converted to String"},
        {R"([])", "SerializationException: Start of list found where not expected"},
        {R"({"TableName":"t"})",
         "ValidationException: 1 validation error detected: Value null at 'key' failed to satisfy "
         "constraint: Member must not be null"},
    });
    const auto problem =
        problem_of<dynamo::GetItemRequest>(R"({"TableName":")" + std::string(256, 'a') + "\"}");
    EXPECT_TRUE(problem.ends_with("Member must have length less than or equal to 255")) << problem;
}

TEST(ReadRequestTest, AnArnNamesItsTable) {
    const auto request = read<dynamo::GetItemRequest>(
        R"({"TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/Orders","Key":{"a":{"S":"x"}}})"
    );
    EXPECT_EQ(request.table, "Orders");
}

TEST(ReadRequestTest, GetItemIsReadWhole) {
    const auto request = read<dynamo::GetItemRequest>(R"({
        "TableName":"t","Key":{"a":{"S":"x"}},"ProjectionExpression":"#n",
        "ExpressionAttributeNames":{"#n":"name"},"ConsistentRead":true,
        "ReturnConsumedCapacity":"INDEXES"})");
    EXPECT_EQ(request.projection, "#n");
    EXPECT_TRUE(request.consistent_read);
    EXPECT_EQ(request.return_capacity, dynamo::ReturnCapacity::kIndexes);
    ASSERT_TRUE(request.placeholders.names);
    EXPECT_EQ(request.placeholders.names->at(0).second, "name");
    EXPECT_EQ(request.key.view().find("a")->text(), "x");
}

TEST(ReadRequestTest, BadGetItems) {
    expect_problems<dynamo::GetItemRequest>({
        {R"({"TableName":"t","Key":[]})",
         "SerializationException: Unrecognized collection type java.util.Map<java.lang.String, "
         "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
        {R"({"TableName":"t","Key":{"a":{"S":"x"}},"ConsistentRead":"true"})",
         "SerializationException: STRING_VALUE cannot be converted to Boolean"},
        {R"({"TableName":"t","Key":{"a":{"S":"x"}},"ReturnConsumedCapacity":"LOTS"})",
         "ValidationException: 1 validation error detected: Value 'LOTS' at "
         "'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value "
         "set: [INDEXES, TOTAL, NONE]"},
        {R"({"TableName":"t","Key":{"a":{"S":"x"}},"ExpressionAttributeNames":{}})",
         "ValidationException: ExpressionAttributeNames must not be empty"},
        {R"({"TableName":"t","Key":{"a":{"S":"x"}},"ExpressionAttributeNames":{"#a":5}})",
         "SerializationException: Unexpected value type in ExpressionAttributeNames"},
        {R"({"TableName":"t","Key":{"a":{"S":"x"}},"AttributesToGet":["a"],"ProjectionExpression":"a"})",
         "ValidationException: Can not use both expression and non-expression parameters in the "
         "same request: Non-expression parameters: {AttributesToGet} Expression parameters: "
         "{ProjectionExpression}"},
        {R"({"TableName":"t","TableName":"t","Key":{"a":{"S":"x"}}})",
         "SerializationException: Duplicate member in a JSON object"},
    });
}

TEST(ReadRequestTest, BadWrites) {
    expect_problems<dynamo::PutItemRequest>({
        {R"({"TableName":"t"})",
         "ValidationException: 1 validation error detected: Value null at 'item' failed to satisfy "
         "constraint: Member must not be null"},
        {R"({"TableName":"t","Item":{},"ReturnValues":"ALL_NEW"})",
         "ValidationException: ReturnValues can only be ALL_OLD or NONE"},
        {R"({"TableName":"t","Item":{},"ReturnValues":"ALL","ReturnItemCollectionMetrics":"X"})",
         "ValidationException: 2 validation errors detected: Value 'ALL' at 'returnValues' failed "
         "to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, "
         "ALL_OLD, NONE, UPDATED_NEW]; Value 'X' at 'returnItemCollectionMetrics' failed to "
         "satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]"},
        {R"({"TableName":"t","Item":{},"ExpressionAttributeValues":{}})",
         "ValidationException: ExpressionAttributeValues must not be empty"},
    });
    expect_problems<dynamo::DeleteItemRequest>({
        {R"({"TableName":"t","Key":{},"ReturnValues":"UPDATED_OLD"})",
         "ValidationException: ReturnValues can only be ALL_OLD or NONE"},
    });
    expect_problems<dynamo::UpdateItemRequest>({
        {R"({"TableName":"t","Key":{},"UpdateExpression":"SET a = b","AttributeUpdates":{}})",
         "ValidationException: Can not use both expression and non-expression parameters in the "
         "same request: Non-expression parameters: {AttributeUpdates} Expression parameters: "
         "{UpdateExpression}"},
    });
}

TEST(ReadRequestTest, BadPages) {
    expect_problems<dynamo::QueryRequest>({
        {R"({"TableName":"t","Limit":0})",
         "ValidationException: 1 validation error detected: Value at 'Limit' failed to satisfy "
         "constraint: Member must have value greater than or equal to 1"},
        {R"({"TableName":"t","IndexName":"ab"})",
         "ValidationException: 1 validation error detected: Value 'ab' at 'indexName' failed to "
         "satisfy constraint: Member must have length greater than or equal to 3"},
        {R"({"TableName":"t","Select":"SOME"})",
         "ValidationException: 1 validation error detected: Value 'SOME' at 'select' failed to "
         "satisfy constraint: Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, "
         "ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"},
    });
    expect_problems<dynamo::ScanRequest>({
        {R"({"TableName":"t","Limit":0})",
         "ValidationException: 1 validation error detected: Value '0' at 'limit' failed to "
         "satisfy constraint: Member must have value greater than or equal to 1"},
        {R"({"TableName":"t","Segment":1})",
         "ValidationException: The TotalSegments parameter is required but was not present in the "
         "request when Segment parameter is present"},
        {R"({"TableName":"t","TotalSegments":1})",
         "ValidationException: The Segment parameter is required but was not present in the "
         "request when parameter TotalSegments is present"},
        {R"({"TableName":"t","Segment":2,"TotalSegments":2})",
         "ValidationException: The Segment parameter is zero-based and must be less than parameter "
         "TotalSegments: Segment: 2 is not less than TotalSegments: 2"},
        {R"({"TableName":"t","Segment":0,"TotalSegments":1000001})",
         "ValidationException: 1 validation error detected: Value '1000001' at 'totalSegments' "
         "failed to satisfy constraint: Member must have value less than or equal to 1000000"},
    });
    const auto scan =
        read<dynamo::ScanRequest>(R"({"TableName":"t","Segment":1,"TotalSegments":4,"Limit":7})");
    EXPECT_EQ(scan.segment, 1U);
    EXPECT_EQ(scan.total_segments, 4U);
    EXPECT_EQ(scan.page.limit, 7);
}

// A list of `count` times `element`.
std::string list_of(int count, std::string_view element) {
    std::string list = "[";
    for (int i = 0; i < count; ++i) {
        list.append(i == 0 ? "" : ",").append(element);
    }
    return list + "]";
}

TEST(ReadRequestTest, BatchesHaveLimits) {
    constexpr const char* kPut = R"({"PutRequest":{"Item":{"a":{"S":"x"}}}})";
    constexpr const char* kKey = R"({"a":{"S":"x"}})";
    expect_problems<dynamo::BatchGetItemRequest>({
        {R"({})", "ValidationException: The requestItems parameter is required for BatchGetItem"},
        {R"({"RequestItems":{}})",
         "ValidationException: The requestItems parameter is required for BatchGetItem"},
        {R"({"RequestItems":{"t":{"Keys":[]}}})",
         "ValidationException: 1 validation error detected: Value at 'RequestItems.t.member.Keys' "
         "failed to satisfy constraint: Member must have length greater than or equal to 1"},
        {R"({"RequestItems":{"t":{}}})",
         "ValidationException: 1 validation error detected: Value null at "
         "'requestItems.t.member.keys' failed to satisfy constraint: Member must not be null"},
        {R"({"RequestItems":{"t":{"Keys":[{"a":{"S":"x"}}]},"t":{"Keys":[{"a":{"S":"y"}}]}}})",
         "SerializationException: Duplicate member in a JSON object"},
    });
    const auto get = [&](int first, int second) {
        return problem_of<dynamo::BatchGetItemRequest>(
            R"({"RequestItems":{"t":{"Keys":)" + list_of(first, kKey) + R"(},"u":{"Keys":)" +
            list_of(second, kKey) + "}}}"
        );
    };
    EXPECT_EQ(get(99, 1), "");
    EXPECT_EQ(
        get(99, 2), "ValidationException: Too many items requested for the BatchGetItem call"
    );
    EXPECT_EQ(
        get(101, 1),
        "ValidationException: 1 validation error detected: Value at 'RequestItems.t.member.Keys' "
        "failed to satisfy constraint: Member must have length less than or equal to 100"
    );
    const auto put = [&](int first, int second) {
        return problem_of<dynamo::BatchWriteItemRequest>(
            R"({"RequestItems":{"t":)" + list_of(first, kPut) + R"(,"u":)" + list_of(second, kPut) +
            "}}"
        );
    };
    EXPECT_EQ(put(24, 1), "");
    EXPECT_EQ(
        put(24, 2), "ValidationException: Too many items requested for the BatchWriteItem call"
    );
    EXPECT_TRUE(
        put(26, 1).ends_with("Member must have length less than or equal to 25, Member must "
                             "have length greater than or equal to 1]")
    );
    expect_problems<dynamo::BatchWriteItemRequest>({
        {R"({"RequestItems":{"t":{}}})", "SerializationException: Unexpected field type"},
        {R"({"RequestItems":{"t":[{}]}})",
         "ValidationException: Supplied WriteRequest is empty, must contain exactly one of the "
         "supported operations: PutRequest or DeleteRequest"},
    });
}

TEST(ReadRequestTest, TransactionsHaveLimits) {
    constexpr const char* kPut = R"({"Put":{"TableName":"t","Item":{"a":{"S":"x"}}}})";
    const auto write = [](const std::string& items, const std::string& more = "") {
        return problem_of<dynamo::TransactWriteItemsRequest>(
            R"({"TransactItems":)" + items + more + "}"
        );
    };
    EXPECT_EQ(write(list_of(100, kPut)), "");
    EXPECT_TRUE(
        write(list_of(101, kPut)).ends_with("Member must have length less than or equal to 100")
    );
    EXPECT_EQ(
        write("[]"),
        "ValidationException: 1 validation error detected: Value '[]' at 'transactItems' failed to "
        "satisfy constraint: Member must have length greater than or equal to 1"
    );
    EXPECT_EQ(
        write("[{}]"),
        "ValidationException: Invalid Request: TransactWriteRequest should contain Delete or Put "
        "or Update request"
    );
    EXPECT_EQ(
        write(R"([{"Put":{"TableName":"t","Item":{}},"Delete":{"TableName":"t","Key":{}}}])"),
        "ValidationException: TransactItems can only contain one of Check, Put, Update or Delete"
    );
    EXPECT_EQ(
        write(R"([{"Update":{"TableName":"t","Key":{"a":{"S":"x"}}}}])"),
        "ValidationException: 1 validation error detected: Value null at "
        "'transactItems.1.member.update.updateExpression' failed to satisfy constraint: Member "
        "must not be null"
    );
    EXPECT_EQ(
        write(R"([{"ConditionCheck":{"TableName":"t","Key":{"a":{"S":"x"}}}}])"),
        "ValidationException: 1 validation error detected: Value null at "
        "'transactItems.1.member.conditionCheck.conditionExpression' failed to satisfy "
        "constraint: Member must not be null"
    );
    EXPECT_EQ(
        write(list_of(1, kPut), R"(,"ClientRequestToken":"")"),
        "ValidationException: 1 validation error detected: Value '' at 'clientRequestToken' failed "
        "to satisfy constraint: Member must have length greater than or equal to 1"
    );
    EXPECT_TRUE(write(list_of(1, kPut), R"(,"ClientRequestToken":")" + std::string(37, 'a') + "\"")
                    .ends_with("Member must have length less than or equal to 36"));
    expect_problems<dynamo::TransactGetItemsRequest>({
        {R"({"TransactItems":[{}]})",
         "ValidationException: 1 validation error detected: Value null at "
         "'transactItems.1.member.get' failed to satisfy constraint: Member must not be null"},
    });
}

TEST(ReadRequestTest, ContentHashTellsTransactionsApart) {
    const auto hash = [](const std::string& put, const std::string& more = "") {
        return read<dynamo::TransactWriteItemsRequest>(
                   R"({"TransactItems":[{"Put":)" + put + R"(}],"ClientRequestToken":"x")" + more +
                   "}"
        )
            .content_hash;
    };
    const std::string put = R"({"TableName":"t","Item":{"a":{"S":"x"}}})";
    EXPECT_EQ(hash(put), hash(R"({ "TableName" : "t", "Item": {"a":{"S":"x"}} })"));
    EXPECT_EQ(hash(put), hash(put, R"(,"ReturnConsumedCapacity":"TOTAL")"));
    EXPECT_NE(hash(put), hash(R"({"TableName":"t","Item":{"a":{"S":"y"}}})"));
}

TEST(ReadRequestTest, BadTables) {
    expect_problems<dynamo::CreateTableRequest>({
        {R"({})",
         "ValidationException: The parameter 'TableName' is required but was not present in the "
         "request"},
        {R"({"TableName":"ab"})",
         "ValidationException: 1 validation error detected: Value 'ab' at 'tableName' failed to "
         "satisfy constraint: Member must have length greater than or equal to 3"},
        {R"({"TableName":"abc"})",
         "ValidationException: 2 validation errors detected: Value null at 'attributeDefinitions' "
         "failed to satisfy constraint: Member must not be null; Value null at 'keySchema' failed "
         "to satisfy constraint: Member must not be null"},
        {R"({"TableName":"abc","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"SS"}],)"
         R"("KeySchema":[{"AttributeName":"a","KeyType":"SORT"}]})",
         "ValidationException: 2 validation errors detected: Value 'SS' at "
         "'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must "
         "satisfy enum value set: [B, N, S]; Value 'SORT' at 'keySchema.1.member.keyType' failed "
         "to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]"},
        {R"({"TableName":"abc","AttributeDefinitions":[],"KeySchema":[]})",
         "ValidationException: 1 validation error detected: Value '[]' at 'keySchema' failed to "
         "satisfy constraint: Member must have length greater than or equal to 1"},
        {R"({"TableName":"abc","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
         R"("ProvisionedThroughput":{"ReadCapacityUnits":0}})",
         "ValidationException: 2 validation errors detected: Value null at "
         "'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: Member must not "
         "be null; Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy "
         "constraint: Member must have value greater than or equal to 1"},
        {R"({"TableName":"abc","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
         R"("StreamSpecification":{"StreamViewType":"NEW_IMAGE"}})",
         "ValidationException: 1 validation error detected: Value null at "
         "'streamSpecification.streamEnabled' failed to satisfy constraint: Member must not be "
         "null"},
    });
    expect_problems<dynamo::UpdateTableRequest>({
        {R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[{}]})",
         "ValidationException: One or more parameter values were invalid: One of "
         "GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
         "GlobalSecondaryIndexUpdate.Delete must not be null"},
        {R"({"TableName":"abc","ReplicaUpdates":[]})",
         "ValidationException: ReplicaUpdates is not supported by this server"},
    });
    expect_problems<dynamo::DescribeTableRequest>({
        {R"({"TableName":"ab"})",
         "ValidationException: 1 validation error detected: Value 'ab' at 'tableName' failed to "
         "satisfy constraint: Member must have length greater than or equal to 3"},
    });
    expect_problems<dynamo::ListTablesRequest>({
        {R"({"Limit":101})",
         "ValidationException: 1 validation error detected: Value '101' at 'limit' failed to "
         "satisfy constraint: Member must have value less than or equal to 100"},
        {R"({})", ""},
    });
    expect_problems<dynamo::UpdateTimeToLiveRequest>({
        {R"({"TableName":"abc"})",
         "ValidationException: 1 validation error detected: Value null at "
         "'timeToLiveSpecification' failed to satisfy constraint: Member must not be null"},
        {R"({"TableName":"abc","TimeToLiveSpecification":{"AttributeName":"","Enabled":true}})",
         "ValidationException: 1 validation error detected: Value '' at "
         "'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have "
         "length greater than or equal to 1"},
    });
    expect_problems<dynamo::TagResourceRequest>({
        {R"({})",
         "ValidationException: 2 validation errors detected: Value null at 'resourceArn' failed to "
         "satisfy constraint: Member must not be null; Value null at 'tags' failed to satisfy "
         "constraint: Member must not be null"},
    });
}

TEST(ReadRequestTest, IndexesOfATableAreRead) {
    const auto request = read<dynamo::CreateTableRequest>(R"({
        "TableName":"abc","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
        "GlobalSecondaryIndexes":[{"IndexName":"one","KeySchema":[
            {"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"HASH"},
            {"AttributeName":"c","KeyType":"RANGE"}],
            "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x","y"]}}],
        "Tags":[{"Key":"k","Value":""}]})");
    ASSERT_TRUE(request.global_indexes);
    ASSERT_EQ(request.global_indexes->size(), 1U);
    const auto& index = request.global_indexes->at(0);
    EXPECT_EQ(index.key_schema.size(), 3U);
    EXPECT_EQ(index.projection.non_key_attributes, (std::vector<std::string>{"x", "y"}));
    EXPECT_FALSE(request.local_indexes);
    EXPECT_EQ(request.tags, (dynamo::Tags{{"k", ""}}));
}

}  // namespace
}  // namespace gateleg::api::dynamodb

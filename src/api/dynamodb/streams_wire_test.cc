#include "api/dynamodb/streams_wire.h"

#include <gtest/gtest.h>

#include "api/dynamodb/stream_operations.h"
#include "api/dynamodb/test_wire.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::IteratorType;
using dynamo::StreamView;

const std::string kArn =
    "arn:aws:dynamodb:us-east-1:123456789012:table/music/stream/2025-03-01T00:00:00.000";
const std::string kShard = "shardId-00000001740787200000-00000001";

TEST(StreamsWireTest, OperationsAreFoundByTheirExactName) {
    for (const auto* name : {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}) {
        ASSERT_NE(find_stream_operation(name), nullptr) << name;
        EXPECT_EQ(find_stream_operation(name)->name, name);
        EXPECT_EQ(find_stream_operation(name)->policy.action(), auth::Action::kRead);
    }
    for (const auto* name : {"", "GetItem", "getrecords", "ListStream"}) {
        EXPECT_EQ(find_stream_operation(name), nullptr) << name;
    }
}

TEST(StreamsWireTest, RequestsAreRead) {
    const auto list = read<dynamo::ListStreamsRequest>(R"({"TableName":"music","Limit":5})");
    EXPECT_EQ(list.table, "music");
    EXPECT_EQ(list.limit, 5U);
    EXPECT_EQ(read<dynamo::ListStreamsRequest>("{}").limit, 100U);

    const auto described = read<dynamo::DescribeStreamRequest>(
        R"({"StreamArn":")" + kArn + R"(","Limit":7,"ExclusiveStartShardId":")" + kShard +
        R"(","ShardFilter":{"Type":"CHILD_SHARDS","ShardId":")" + kShard + R"("}})"
    );
    EXPECT_EQ(described.arn, kArn);
    EXPECT_EQ(described.exclusive_start, kShard);
    EXPECT_EQ(described.children_of, kShard);
    EXPECT_EQ(described.limit, 7U);

    const auto placed = read<dynamo::GetShardIteratorRequest>(
        R"({"StreamArn":")" + kArn + R"(","ShardId":")" + kShard +
        R"(","ShardIteratorType":"AFTER_SEQUENCE_NUMBER","SequenceNumber":"000000000000000000012"})"
    );
    EXPECT_EQ(placed.shard, kShard);
    EXPECT_EQ(placed.type, IteratorType::kAfterSequence);
    EXPECT_EQ(placed.sequence, "000000000000000000012");

    const auto records = read<dynamo::GetRecordsRequest>(R"({"ShardIterator":"x"})");
    EXPECT_EQ(records.iterator, "x");
    EXPECT_EQ(records.limit, 1000U);
}

TEST(StreamsWireTest, WrongRequestsAreRefused) {
    const auto problem = [](const std::string& members) {
        return problem_of<dynamo::GetShardIteratorRequest>(
            R"({"StreamArn":")" + kArn + R"(","ShardId":")" + kShard + R"(")" + members + "}"
        );
    };
    EXPECT_EQ(
        problem(""),
        "ValidationException: 1 validation error detected: Value null at 'shardIteratorType' "
        "failed to satisfy constraint: Member must not be null"
    );
    EXPECT_NE(problem(R"(,"ShardIteratorType":"LAST")"), "");
    EXPECT_NE(problem(R"(,"ShardIteratorType":"AT_SEQUENCE_NUMBER")"), "");
    EXPECT_NE(
        problem(R"(,"ShardIteratorType":"LATEST","SequenceNumber":"000000000000000000012")"), ""
    );
    EXPECT_NE(problem(R"(,"ShardIteratorType":"AT_SEQUENCE_NUMBER","SequenceNumber":"12")"), "");
    EXPECT_NE(problem_of<dynamo::DescribeStreamRequest>(R"({"StreamArn":"short"})"), "");
    EXPECT_NE(problem_of<dynamo::DescribeStreamRequest>(R"({})"), "");
    EXPECT_NE(problem_of<dynamo::GetRecordsRequest>(R"({"ShardIterator":"x","Limit":1001})"), "");
    EXPECT_NE(problem_of<dynamo::GetRecordsRequest>(R"({"ShardIterator":"x","Limit":0})"), "");
    EXPECT_NE(problem_of<dynamo::ListStreamsRequest>(R"({"Limit":101})"), "");
    EXPECT_NE(
        problem_of<dynamo::ListStreamsRequest>(
            R"({"ExclusiveStartStreamArn":"nonsense-that-is-long-enough-to-be-an-arn"})"
        ),
        ""
    );
}

TEST(StreamsWireTest, RepliesAreWritten) {
    EXPECT_EQ(
        written(dynamo::ListStreamsReply{.streams = {{"a", "l", "t"}}, .last_evaluated = "a"}),
        R"({"Streams":[{"StreamArn":"a","TableName":"t","StreamLabel":"l"}],)"
        R"("LastEvaluatedStreamArn":"a"})"
    );
    EXPECT_EQ(
        written(dynamo::DescribeStreamReply{
            .stream = {"a", "l", "t"},
            .enabled = false,
            .view = StreamView::kOldImage,
            .created_millis = 1500,
            .key_schema = {{"pk", dynamo::KeyRole::kHash}},
            .shards = {{"s2", "s1", "003", "004"}, {"s3", std::nullopt, "005", std::nullopt}},
            .last_evaluated = "s3"}),
        R"({"StreamDescription":{"StreamArn":"a","TableName":"t","StreamLabel":"l",)"
        R"("StreamStatus":"DISABLED","StreamViewType":"OLD_IMAGE",)"
        R"("CreationRequestDateTime":1.500,)"
        R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Shards":[)"
        R"({"ShardId":"s2","SequenceNumberRange":{"StartingSequenceNumber":"003",)"
        R"("EndingSequenceNumber":"004"},"ParentShardId":"s1"},)"
        R"({"ShardId":"s3","SequenceNumberRange":{"StartingSequenceNumber":"005"}}],)"
        R"("LastEvaluatedShardId":"s3"}})"
    );
    EXPECT_EQ(written(dynamo::GetShardIteratorReply{"here"}), R"({"ShardIterator":"here"})");
}

TEST(StreamsWireTest, RecordsAreWritten) {
    dynamo::GetRecordsReply reply{
        .records = {}, .view = StreamView::kOldImage, .region = "r", .next_iterator = "n"};
    reply.records.push_back(
        {.id = "e",
         .event = dynamo::StreamEvent::kRemove,
         .sequence = "001",
         .created_seconds = 12,
         .size_bytes = 34,
         .keys = item(R"({"pk":{"S":"a"}})"),
         .new_image = std::nullopt,
         .old_image = item(R"({"n":{"N":"1"},"pk":{"S":"a"}})"),
         .by_time_to_live = true}
    );
    EXPECT_EQ(
        written(reply),
        R"({"Records":[{"eventID":"e","eventName":"REMOVE","eventVersion":"1.1",)"
        R"("eventSource":"aws:dynamodb","awsRegion":"r","dynamodb":{)"
        R"("ApproximateCreationDateTime":12,"Keys":{"pk":{"S":"a"}},)"
        R"("OldImage":{"n":{"N":"1"},"pk":{"S":"a"}},"SequenceNumber":"001","SizeBytes":34,)"
        R"("StreamViewType":"OLD_IMAGE"},)"
        R"("userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}],)"
        R"("NextShardIterator":"n"})"
    );
    EXPECT_EQ(written(dynamo::GetRecordsReply{}), R"({"Records":[]})");
}

}  // namespace
}  // namespace gateleg::api::dynamodb

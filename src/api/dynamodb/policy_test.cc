#include "api/dynamodb/policy.h"

#include <gtest/gtest.h>

#include "api/dynamodb/backup_operations.h"
#include "api/dynamodb/operations.h"
#include "api/dynamodb/stream_operations.h"
#include "api/dynamodb/tool_operations.h"
#include "api/dynamodb/transfer_operations.h"

namespace gateleg::api::dynamodb {
namespace {

// The error of a call by a key with this scope, or "allowed".
std::string outcome(std::string_view scope, std::string_view name, std::string body) {
    const auto* operation = find_operation(name);
    const auto* tool = find_tool_operation(name);
    const auto* stream = find_stream_operation(name);
    const auto* transfer = find_transfer_operation(name);
    const auto* backup = find_backup_operation(name);
    const auto& policy = operation != nullptr  ? operation->policy
                         : backup != nullptr   ? backup->policy
                         : transfer != nullptr ? transfer->policy
                         : tool != nullptr     ? tool->policy
                                               : stream->policy;
    const auto parsed = auth::Scope::parse(scope);
    EXPECT_TRUE(parsed) << scope;
    const auth::Identity caller{"GLKA", "ann", std::make_shared<const auth::Scope>(*parsed)};
    body.append(kBodyPadding, ' ');
    const auto checked = check_access(
        caller,
        "eu-west-1",
        policy,
        name,
        std::string_view(body).substr(0, body.size() - kBodyPadding)
    );
    return checked ? "allowed" : checked.error().message;
}

bool allows(std::string_view scope, std::string_view name, std::string body) {
    return outcome(scope, name, std::move(body)) == "allowed";
}

TEST(PolicyTest, DeniesInTheWordsOfAws) {
    EXPECT_EQ(
        outcome("read", "PutItem", R"({"TableName":"Orders"})"),
        "User: arn:aws:iam::123456789012:user/ann is not authorized to perform: dynamodb:PutItem "
        "on "
        "resource: arn:aws:dynamodb:eu-west-1:123456789012:table/Orders because no identity-based "
        "policy allows the dynamodb:PutItem action"
    );
    EXPECT_NE(outcome("read:T", "ListTables", "{}").find(":table/* because"), std::string::npos);
}

TEST(PolicyTest, OneTable) {
    for (const auto* table : {"Orders", "arn:aws:dynamodb:eu-west-1:123456789012:table/Orders"}) {
        const auto body = R"({"TableName":")" + std::string(table) + R"("})";
        EXPECT_TRUE(allows("read:Orders", "GetItem", body));
        EXPECT_TRUE(allows("read:Ord*", "Query", body));
        EXPECT_TRUE(allows("admin:Orders", "DeleteTable", body));
        EXPECT_FALSE(allows("read:Orders", "PutItem", body));
        EXPECT_FALSE(allows("read:Users", "GetItem", body));
        EXPECT_FALSE(allows("write:Orders", "DeleteTable", body));
        EXPECT_FALSE(allows("admin:Users;read;write", "UpdateTable", body));
    }
}

TEST(PolicyTest, WhatNamesNoTableMeansAll) {
    for (const auto* body :
         {"{}",
          "",
          "x",
          "[]",
          "null",
          R"({"TableName":5})",
          R"({"TableName":null})",
          R"({"tableName":"Orders"})"}) {
        EXPECT_FALSE(allows("read:Orders", "GetItem", body)) << body;
        EXPECT_TRUE(allows("read:*", "GetItem", body)) << body;
        EXPECT_FALSE(allows("read:Orders", "BatchGetItem", body)) << body;
        EXPECT_FALSE(allows("read:Orders", "TransactGetItems", body)) << body;
        EXPECT_FALSE(allows("write:Orders", "TransactWriteItems", body)) << body;
        EXPECT_FALSE(allows("read:Orders;write:Orders", "ExecuteStatement", body)) << body;
        EXPECT_FALSE(allows("read:Orders", "GetRecords", body)) << body;
    }
    EXPECT_FALSE(allows("read:Orders", "ListBackups", "{}"));
    EXPECT_TRUE(allows("read:Orders", "ListBackups", R"({"TableName":"Orders"})"));
    EXPECT_TRUE(allows("write:Orders", "DescribeLimits", "{}"));
    EXPECT_FALSE(allows("read:Orders", "ListGlobalTables", "{}"));
}

TEST(PolicyTest, EveryTableOfABatch) {
    const auto body = R"({"RequestItems":{"A":{},"B":{}}})";
    EXPECT_TRUE(allows("read:A,B", "BatchGetItem", body));
    EXPECT_FALSE(allows("read:A", "BatchGetItem", body));
    EXPECT_FALSE(allows("read:B", "BatchGetItem", body));
    EXPECT_TRUE(allows("write:A,B", "BatchWriteItem", body));
    EXPECT_FALSE(allows("read:A,B;write:A", "BatchWriteItem", body));
    EXPECT_FALSE(allows("read:A", "BatchGetItem", R"({"RequestItems":[]})"));
}

TEST(PolicyTest, EveryActionOfATransaction) {
    const auto body =
        R"({"TransactItems":[{"Put":{"TableName":"A"}},{"ConditionCheck":{"TableName":"B"}}]})";
    EXPECT_TRUE(allows("write:A;read:B", "TransactWriteItems", body));
    EXPECT_FALSE(allows("write:A,B", "TransactWriteItems", body));
    EXPECT_FALSE(allows("write", "TransactWriteItems", body));
    EXPECT_TRUE(allows("write;read", "TransactWriteItems", body));
    EXPECT_NE(
        outcome("write:A", "TransactWriteItems", body).find("dynamodb:ConditionCheckItem"),
        std::string::npos
    );
    EXPECT_FALSE(
        allows("read", "TransactWriteItems", R"({"TransactItems":[{"Delete":{"TableName":"A"}}]})")
    );
    EXPECT_FALSE(allows("read:A", "TransactGetItems", R"({"TransactItems":[{"Get":{}}]})"));
}

TEST(PolicyTest, TheTableOfAStatement) {
    const auto statement = [](std::string text) { return R"({"Statement":")" + text + R"("})"; };
    EXPECT_TRUE(allows("read:A", "ExecuteStatement", statement("SELECT * FROM A")));
    EXPECT_TRUE(allows("read:A", "ExecuteStatement", statement(R"(SELECT * FROM \"A\".\"i\")")));
    EXPECT_FALSE(allows("read:A", "ExecuteStatement", statement(R"(SELECT * FROM \"B\".\"A\")")));
    EXPECT_FALSE(allows("read", "ExecuteStatement", statement("DELETE FROM A WHERE k = 1")));
    EXPECT_TRUE(allows("write:A", "ExecuteStatement", statement("DELETE FROM A WHERE k = 1")));
    EXPECT_FALSE(allows("write:A", "ExecuteStatement", statement("SELECT * FROM A")));
    EXPECT_NE(
        outcome("read", "ExecuteStatement", statement("INSERT INTO A VALUE {'k': 1}"))
            .find("dynamodb:PartiQLInsert on resource"),
        std::string::npos
    );
    // What cannot be parsed is run by nobody; it goes by its first word.
    EXPECT_FALSE(allows("read:A", "ExecuteStatement", statement("SELECT")));
    EXPECT_TRUE(allows("read", "ExecuteStatement", statement("SELECT")));
    EXPECT_FALSE(allows("read", "ExecuteStatement", statement("DROP A")));
    EXPECT_FALSE(allows(
        "read:A",
        "BatchExecuteStatement",
        R"({"Statements":[{"Statement":"SELECT * FROM A"},{"Statement":"SELECT * FROM B"}]})"
    ));
    EXPECT_TRUE(allows(
        "read:A;write:B",
        "ExecuteTransaction",
        R"-({"TransactStatements":[{"Statement":"EXISTS(SELECT * FROM A WHERE k=1 AND v=1)"},)-"
        R"-({"Statement":"UPDATE B SET a=1 WHERE k=1"}]})-"
    ));
}

TEST(PolicyTest, TheTableOfAnArn) {
    const std::string arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/Orders";
    const auto body = [](std::string_view member, const std::string& value) {
        return "{\"" + std::string(member) + "\":\"" + value + "\"}";
    };
    EXPECT_TRUE(allows("read:Orders", "ListTagsOfResource", body("ResourceArn", arn)));
    EXPECT_FALSE(allows("read:Users", "ListTagsOfResource", body("ResourceArn", arn)));
    EXPECT_FALSE(allows("write:Orders", "TagResource", body("ResourceArn", arn)));
    EXPECT_TRUE(allows("admin:Orders", "TagResource", body("ResourceArn", arn)));
    EXPECT_TRUE(allows("read:Orders", "DescribeStream", body("StreamArn", arn + "/stream/2026")));
    EXPECT_TRUE(allows("read:Orders", "GetRecords", body("ShardIterator", arn + "/stream/x|1|AA")));
    EXPECT_FALSE(allows("read:Users", "GetRecords", body("ShardIterator", arn + "/stream/x|1|AA")));
    EXPECT_FALSE(allows("read:Orders", "DescribeStream", body("StreamArn", "Orders")));
    EXPECT_TRUE(allows("read:Orders", "DescribeBackup", body("BackupArn", arn + "/backup/01")));
    EXPECT_TRUE(allows("admin:Orders", "PutResourcePolicy", body("ResourceArn", arn)));
    const auto restore = R"({"TargetTableName":"Copy","BackupArn":")" + arn + R"(/backup/01"})";
    EXPECT_TRUE(allows("admin:Copy;read:Orders", "RestoreTableFromBackup", restore));
    EXPECT_FALSE(allows("admin:Copy", "RestoreTableFromBackup", restore));
    EXPECT_FALSE(allows("admin:Orders", "RestoreTableFromBackup", restore));
}

TEST(PolicyTest, ExportsAndImportsNeedTheirBucketToo) {
    const std::string arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/Orders";
    const auto out = R"({"TableArn":")" + arn + R"(","S3Bucket":"b"})";
    EXPECT_TRUE(allows("admin:Orders;write:s3:b", "ExportTableToPointInTime", out));
    EXPECT_FALSE(allows("admin:Orders", "ExportTableToPointInTime", out));
    EXPECT_FALSE(allows("admin:*", "ExportTableToPointInTime", out));
    EXPECT_FALSE(allows("write:s3:b;read", "ExportTableToPointInTime", out));
    EXPECT_NE(
        outcome("admin:*", "ExportTableToPointInTime", out)
            .find("s3:PutObject on resource: arn:aws:s3:::b because"),
        std::string::npos
    );
    const auto in =
        R"({"S3BucketSource":{"S3Bucket":"b"},"TableCreationParameters":{"TableName":"New"}})";
    EXPECT_TRUE(allows("admin:New;read:s3:b", "ImportTable", in));
    EXPECT_FALSE(allows("admin:New", "ImportTable", in));
    EXPECT_FALSE(allows("admin:Old;read:s3:b", "ImportTable", in));
    EXPECT_FALSE(
        allows("admin:New;read:s3:b", "ImportTable", R"({"S3BucketSource":{"S3Bucket":"b"}})")
    );
    EXPECT_TRUE(
        allows("read:Orders", "DescribeExport", R"({"ExportArn":")" + arn + R"(/export/1"})")
    );
    EXPECT_FALSE(allows("read:Orders", "ListImports", "{}"));
}

TEST(PolicyTest, ACallerWithoutAScopeMayDoNothing) {
    const auto checked =
        check_access({"A", "a", nullptr}, "r", find_operation("DescribeTable")->policy, "x", "{}");
    EXPECT_FALSE(checked);
}

}  // namespace
}  // namespace gateleg::api::dynamodb

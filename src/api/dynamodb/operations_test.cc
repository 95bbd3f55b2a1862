#include "api/dynamodb/operations.h"

#include <gtest/gtest.h>

namespace gateleg::api::dynamodb {
namespace {

constexpr const char* kReading[] = {
    "BatchGetItem",
    "DescribeBackup",
    "ListBackups",
    "DescribeEndpoints",
    "DescribeLimits",
    "DescribeTable",
    "DescribeTimeToLive",
    "GetItem",
    "ListTables",
    "ListTagsOfResource",
    "Query",
    "Scan",
    "TransactGetItems",
};
constexpr const char* kWriting[] = {
    "BatchExecuteStatement",
    "BatchWriteItem",
    "CreateBackup",
    "CreateTable",
    "DeleteBackup",
    "DeleteItem",
    "DeleteTable",
    "ExecuteStatement",
    "ExecuteTransaction",
    "PutItem",
    "RestoreTableFromBackup",
    "TagResource",
    "TransactWriteItems",
    "UntagResource",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
};

// A body, with the bytes behind it that its parser may read.
std::string padded(std::string body) {
    body.append(kBodyPadding, ' ');
    return body;
}
const std::string kEmpty = padded("{}");

TEST(OperationsTest, AreFoundByTheirExactName) {
    for (const auto* name : kReading) {
        ASSERT_NE(find_operation(name), nullptr) << name;
        EXPECT_EQ(find_operation(name)->name, name);
        EXPECT_NE(find_operation(name)->run, nullptr);
    }
    for (const auto* name : kWriting) {
        ASSERT_NE(find_operation(name), nullptr) << name;
    }
    for (const auto* name :
         {"", "A", "getitem", "GetItems", "GetIte", "Zzz", "ExecuteStatements"}) {
        EXPECT_EQ(find_operation(name), nullptr) << name;
    }
}

TEST(OperationsTest, ReadScopeAllowsWhatChangesNothing) {
    for (const auto* name : kReading) {
        EXPECT_TRUE(scope_allows("read", *find_operation(name), kEmpty)) << name;
    }
    for (const auto* name : kWriting) {
        EXPECT_FALSE(scope_allows("read", *find_operation(name), kEmpty)) << name;
    }
}

TEST(OperationsTest, ReadScopeAllowsStatementsThatSelect) {
    const auto allowed = [](std::string_view name, std::string body) {
        return scope_allows("read", *find_operation(name), padded(std::move(body)));
    };
    EXPECT_TRUE(allowed("ExecuteStatement", R"({"Statement":"-- all\n select * from t"})"));
    EXPECT_FALSE(allowed("ExecuteStatement", R"({"Statement":"DELETE FROM t WHERE a = 1"})"));
    EXPECT_FALSE(allowed("ExecuteStatement", R"({"Statement":5})"));
    EXPECT_TRUE(allowed("BatchExecuteStatement", R"({"Statements":[{"Statement":"SELECT 1"}]})"));
    EXPECT_FALSE(allowed(
        "ExecuteTransaction",
        R"({"TransactStatements":[{"Statement":"SELECT 1"},{"Statement":"INSERT INTO t"}]})"
    ));
    // A body that hides a write behind a list that is not looked at.
    EXPECT_FALSE(allowed(
        "ExecuteStatement",
        R"({"Statement":"DELETE FROM t WHERE a = 1","Statements":[{"Statement":"SELECT 1"}]})"
    ));
}

TEST(OperationsTest, FullScopeAllowsAllAndUnknownScopesNothing) {
    for (const auto* name : {"GetItem", "PutItem", "DeleteTable"}) {
        const auto& operation = *find_operation(name);
        EXPECT_TRUE(scope_allows("", operation, kEmpty));
        EXPECT_TRUE(scope_allows("full", operation, kEmpty));
        for (const auto* scope : {"Full", "READ", "write", "full ", "read,full"}) {
            EXPECT_FALSE(scope_allows(scope, operation, kEmpty)) << scope;
        }
    }
}

}  // namespace
}  // namespace gateleg::api::dynamodb

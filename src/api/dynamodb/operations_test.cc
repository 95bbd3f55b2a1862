#include "api/dynamodb/operations.h"

#include <gtest/gtest.h>

namespace gateleg::api::dynamodb {
namespace {

constexpr const char* kReading[] = {
    "BatchGetItem",
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
    "BatchWriteItem",
    "CreateTable",
    "DeleteItem",
    "DeleteTable",
    "PutItem",
    "TagResource",
    "TransactWriteItems",
    "UntagResource",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
};

TEST(OperationsTest, AreFoundByTheirExactName) {
    for (const auto* name : kReading) {
        ASSERT_NE(find_operation(name), nullptr) << name;
        EXPECT_EQ(find_operation(name)->name, name);
        EXPECT_NE(find_operation(name)->run, nullptr);
    }
    for (const auto* name : kWriting) {
        ASSERT_NE(find_operation(name), nullptr) << name;
    }
    for (const auto* name : {"", "A", "getitem", "GetItems", "GetIte", "Zzz", "ExecuteStatement"}) {
        EXPECT_EQ(find_operation(name), nullptr) << name;
    }
}

TEST(OperationsTest, ReadScopeAllowsWhatChangesNothing) {
    for (const auto* name : kReading) {
        EXPECT_TRUE(scope_allows("read", *find_operation(name))) << name;
    }
    for (const auto* name : kWriting) {
        EXPECT_FALSE(scope_allows("read", *find_operation(name))) << name;
    }
}

TEST(OperationsTest, FullScopeAllowsAllAndUnknownScopesNothing) {
    for (const auto* name : {"GetItem", "PutItem", "DeleteTable"}) {
        const auto& operation = *find_operation(name);
        EXPECT_TRUE(scope_allows("", operation));
        EXPECT_TRUE(scope_allows("full", operation));
        for (const auto* scope : {"Full", "READ", "write", "full ", "read,full"}) {
            EXPECT_FALSE(scope_allows(scope, operation)) << scope;
        }
    }
}

}  // namespace
}  // namespace gateleg::api::dynamodb

#include "api/dynamodb/operations.h"

#include <gtest/gtest.h>

#include "api/dynamodb/backup_operations.h"

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
    "BatchExecuteStatement",
    "BatchWriteItem",
    "CreateTable",
    "DeleteItem",
    "DeleteTable",
    "ExecuteStatement",
    "ExecuteTransaction",
    "PutItem",
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

TEST(OperationsTest, SayWhatChangesNothing) {
    for (const auto* name : kReading) {
        EXPECT_TRUE(only_reads(find_operation(name)->policy, name, kEmpty)) << name;
    }
    for (const auto* name : kWriting) {
        EXPECT_FALSE(only_reads(find_operation(name)->policy, name, kEmpty)) << name;
    }
}

TEST(OperationsTest, ThoseOnBackupsHaveATableOfTheirOwn) {
    for (const auto* name : {"DescribeBackup", "ListBackups"}) {
        ASSERT_NE(find_backup_operation(name), nullptr) << name;
        EXPECT_TRUE(only_reads(find_backup_operation(name)->policy, name, kEmpty)) << name;
        EXPECT_EQ(find_operation(name), nullptr) << name;
    }
    for (const auto* name : {"CreateBackup", "DeleteBackup", "RestoreTableFromBackup"}) {
        ASSERT_NE(find_backup_operation(name), nullptr) << name;
        EXPECT_FALSE(only_reads(find_backup_operation(name)->policy, name, kEmpty)) << name;
    }
    EXPECT_EQ(find_backup_operation("GetItem"), nullptr);
}

TEST(OperationsTest, StatementsThatSelectChangeNothing) {
    const auto reads = [](std::string_view name, std::string body) {
        return only_reads(find_operation(name)->policy, name, padded(std::move(body)));
    };
    EXPECT_TRUE(reads("ExecuteStatement", R"({"Statement":"-- all\n select * from t"})"));
    EXPECT_FALSE(reads("ExecuteStatement", R"({"Statement":"DELETE FROM t WHERE a = 1"})"));
    EXPECT_FALSE(reads("ExecuteStatement", R"({"Statement":5})"));
    EXPECT_TRUE(reads("BatchExecuteStatement", R"({"Statements":[{"Statement":"SELECT 1"}]})"));
    EXPECT_FALSE(reads(
        "ExecuteTransaction",
        R"({"TransactStatements":[{"Statement":"SELECT 1"},{"Statement":"INSERT INTO t"}]})"
    ));
    // A body that hides a write behind a list that is not looked at.
    EXPECT_FALSE(reads(
        "ExecuteStatement",
        R"({"Statement":"DELETE FROM t WHERE a = 1","Statements":[{"Statement":"SELECT 1"}]})"
    ));
}

}  // namespace
}  // namespace gateleg::api::dynamodb

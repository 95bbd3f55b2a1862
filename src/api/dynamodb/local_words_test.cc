#include "api/dynamodb/local_words.h"

#include <gtest/gtest.h>

#include "api/dynamodb/operations.h"

namespace gateleg::api::dynamodb {
namespace {

// A table with a local index on `l` and a global one on `g` and `l`.
std::string create(const std::string& definitions) {
    return R"({"TableName":"t","AttributeDefinitions":[)" + definitions + R"(],)" +
           R"("KeySchema":[{"AttributeName":"p"},{"AttributeName":"s"}],)" +
           R"("LocalSecondaryIndexes":[{"KeySchema":[{"AttributeName":"p"},{"AttributeName":"l"}]}],)" +
           R"("GlobalSecondaryIndexes":[{"KeySchema":[{"AttributeName":"g"},{"AttributeName":"l"}]}]})";
}

const std::string kUsed =
    R"({"AttributeName":"p"},{"AttributeName":"s"},{"AttributeName":"l"},{"AttributeName":"g"})";

TEST(LocalWordsTest, AsManyUnusedDefinitionsAsBothKindsOfIndexesShare) {
    EXPECT_EQ(without_overlooked_definitions(create(kUsed)), std::nullopt);
    const auto kept = without_overlooked_definitions(create(kUsed + R"(,{"AttributeName":"x"})"));
    EXPECT_EQ(kept, create(kUsed) + std::string(kBodyPadding, ' '));
    EXPECT_EQ(
        without_overlooked_definitions(
            create(kUsed + R"(,{"AttributeName":"x"},{"AttributeName":"y"})")
        ),
        std::nullopt
    );
}

TEST(LocalWordsTest, WithoutSharedIndexKeysEveryDefinitionCounts) {
    EXPECT_EQ(
        without_overlooked_definitions(
            R"({"AttributeDefinitions":[{"AttributeName":"p"},{"AttributeName":"x"}],)"
            R"("KeySchema":[{"AttributeName":"p"}]})"
        ),
        std::nullopt
    );
}

TEST(LocalWordsTest, WhatIsNoRequestIsLeftAlone) {
    for (const auto* body : {"", "[]", "{", R"({"AttributeDefinitions":5,"KeySchema":{}})"}) {
        EXPECT_EQ(without_overlooked_definitions(body), std::nullopt) << body;
        EXPECT_TRUE(condition_checks(body).empty()) << body;
        EXPECT_EQ(local_error(body, {true}), std::nullopt) << body;
    }
}

TEST(LocalWordsTest, LimitBelowOne) {
    const auto error = [](const std::string& at) {
        return R"({"__type":"a#ValidationException","message":"1 validation error detected: )" +
               at +
               R"( failed to satisfy constraint: Member must have value greater than or equal to 1"})";
    };
    const std::string expected =
        R"({"__type":"a#ValidationException","message":"Limit must be greater than or equal to 1"})";
    EXPECT_EQ(local_error(error("Value at 'Limit'"), {}), expected);
    EXPECT_EQ(local_error(error("Value '-1' at 'limit'"), {}), expected);
    EXPECT_EQ(local_error(error("Value '0' at 'totalSegments'"), {}), std::nullopt);
}

TEST(LocalWordsTest, DefinitionsOfOneName) {
    EXPECT_EQ(
        local_error(
            R"({"__type":"a#ValidationException","message":"Attribute Name is duplicated: a"})", {}
        ),
        R"({"__type":"a#ValidationException",)"
        R"("message":"Cannot have two attributes with the same name"})"
    );
}

TEST(LocalWordsTest, OnlyConditionChecksEndTheirSentence) {
    const auto checks = condition_checks(
        R"({"TransactItems":[{"Put":{}},{"ConditionCheck":{}},{"ConditionCheck":{}}]})"
    );
    EXPECT_EQ(checks, (std::vector<bool>{false, true, true}));
    const auto error = [](const std::string& end) {
        return R"({"__type":"a#TransactionCanceledException","message":"m","CancellationReasons":[)"
               R"({"Code":"ConditionalCheckFailed","Message":"failed"},)"
               R"({"Code":"ConditionalCheckFailed","Message":"failed)" +
               end + R"(","Item":{"n":{"N":"1.50"}}},{"Code":"None"}]})";
    };
    EXPECT_EQ(local_error(error(""), checks), error("."));
    EXPECT_EQ(local_error(R"({"__type":"a#Other","message":"m"})", checks), std::nullopt);
}

}  // namespace
}  // namespace gateleg::api::dynamodb

#include "expr/key_condition.h"

#include <gtest/gtest.h>

#include "expr/test_request.h"

namespace gateleg::expr {
namespace {

constexpr std::string_view kValues =
    R"({":p": {"S": "p"}, ":a": {"N": "1"}, ":b": {"N": "2"}, ":t": {"S": "S"}})";

Result<std::vector<KeyPredicate>> predicates(std::string_view text, TestRequest& request) {
    Cache cache;
    GATELEG_TRY_ASSIGN(const auto condition, compile_key_condition(cache, text, request.scope()));
    return key_predicates(condition);
}

struct Accepted {
    std::string_view text;
    KeyOp op;
};

class AcceptedKeyConditionTest : public testing::TestWithParam<Accepted> {};

TEST_P(AcceptedKeyConditionTest, GivesThePartitionKeyAndTheSortKey) {
    TestRequest request(kValues, {{"#k", "key"}});
    const auto found = predicates(GetParam().text, request);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ((*found)[0].attribute, "pk");
    EXPECT_EQ((*found)[0].op, KeyOp::kEqual);
    EXPECT_EQ((*found)[0].value.text(), "p");
    EXPECT_EQ((*found)[1].attribute, "key");
    EXPECT_EQ((*found)[1].op, GetParam().op);
    EXPECT_EQ((*found)[1].upper.has_value(), GetParam().op == KeyOp::kBetween);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    AcceptedKeyConditionTest,
    testing::Values(
        Accepted{"pk = :p AND #k = :a", KeyOp::kEqual},
        Accepted{"(pk = :p) AND (#k < :a)", KeyOp::kLess},
        Accepted{"(pk = :p AND (#k <= :a))", KeyOp::kLessOrEqual},
        Accepted{":p = pk and #k > :a", KeyOp::kGreater},
        Accepted{"pk = :p AND :a <= #k", KeyOp::kGreaterOrEqual},
        Accepted{"pk = :p AND :a > #k", KeyOp::kLess},
        Accepted{"pk = :p AND #k BETWEEN :a AND :b", KeyOp::kBetween},
        Accepted{"pk = :p AND (begins_with(#k, :p))", KeyOp::kBeginsWith}
    )
);

TEST(KeyConditionTest, SeveralAttributesMakeUpAKey) {
    TestRequest request(kValues);
    const auto found = predicates("k1 = :p AND k2 = :a AND k3 = :b AND k4 > :a", request);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->size(), 4U);
}

struct Refused {
    std::string_view text;
    std::string message;
};

class RefusedKeyConditionTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedKeyConditionTest, IsWordedAsDynamoDbWordsIt) {
    TestRequest request(kValues);
    EXPECT_EQ(message_of(predicates(GetParam().text, request)), GetParam().message);
}

const std::string kOperator = "Invalid operator used in KeyConditionExpression: ";
const std::string kCondition = "Invalid condition in KeyConditionExpression: ";

INSTANTIATE_TEST_SUITE_P(
    All,
    RefusedKeyConditionTest,
    testing::Values(
        Refused{"", "Invalid KeyConditionExpression: The expression can not be empty;"},
        Refused{
            "((pk = :p))",
            "Invalid KeyConditionExpression: The expression has redundant parentheses;"},
        Refused{"pk = :p OR key1 = :a", kOperator + "OR"},
        Refused{"NOT pk = :p", kOperator + "NOT"},
        Refused{"pk <> :p", kOperator + "<>"},
        Refused{"pk IN (:p)", kOperator + "IN"},
        Refused{"pk = :p AND contains(sk, :p)", kOperator + "contains"},
        Refused{"attribute_exists(pk)", kOperator + "attribute_exists"},
        Refused{"attribute_type(pk, :t)", kOperator + "attribute_type"},
        Refused{
            ":a BETWEEN pk AND :b",
            kCondition + "BETWEEN operator must have the key attribute as its first operand"},
        Refused{
            "begins_with(:p, pk)",
            kCondition + "begins_with operator must have the key attribute as its first operand"},
        Refused{"size(pk) > :a", "KeyConditionExpressions cannot contain nested operations"},
        Refused{"pk > sk", kCondition + "Multiple attribute names used in one condition"},
        Refused{"pk.a = :p", "KeyConditionExpressions cannot have conditions on nested attributes"},
        Refused{"pk = :p AND :a = :b", kCondition + "No key attribute specified"},
        Refused{
            "pk = :p AND sk > :a AND sk < :b",
            "KeyConditionExpressions must only contain one condition per key"}
    )
);

}  // namespace
}  // namespace gateleg::expr

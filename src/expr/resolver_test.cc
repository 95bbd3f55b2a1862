#include "expr/resolver.h"

#include <gtest/gtest.h>

#include "expr/condition.h"
#include "expr/test_request.h"

namespace gateleg::expr {
namespace {

constexpr std::string_view kValues = R"({
    ":s": {"S": "a"}, ":s2": {"S": "b"}, ":n": {"N": "1"}, ":n2": {"N": "5"}, ":b": {"B": "AQI="},
    ":bool": {"BOOL": true}, ":null": {"NULL": true}, ":l": {"L": []}, ":m": {"M": {}},
    ":ss": {"SS": ["x"]}, ":type": {"S": "SS"}
})";

struct Refusal {
    std::string_view text;
    std::string message;  // After "Invalid FilterExpression: ".
};

class OperandRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(OperandRefusalTest, IsWordedAsDynamoDbWordsIt) {
    Cache cache;
    TestRequest request(kValues, {{"#a", "a"}});
    EXPECT_EQ(
        message_of(compile_condition(cache, Kind::kFilter, GetParam().text, request.scope())),
        "Invalid FilterExpression: " + GetParam().message
    ) << GetParam().text;
}

const std::string kUndefinedName =
    "An expression attribute name used in the document path is not defined; attribute name: ";
const std::string kUndefinedValue =
    "An expression attribute value used in expression is not defined; attribute value: ";
const std::string kCount =
    "Incorrect number of operands for operator or function; operator or function: ";
const std::string kType = "Incorrect operand type for operator or function; operator or function: ";
const std::string kDistinct =
    "The first operand must be distinct from the remaining operands for this operator or function; "
    "operator: ";
const std::string kBetween = "The BETWEEN operator requires ";

INSTANTIATE_TEST_SUITE_P(
    All,
    OperandRefusalTest,
    testing::Values(
        Refusal{"a = :nope", kUndefinedValue + ":nope"},
        Refusal{"#nope = :nope", kUndefinedName + "#nope"},
        Refusal{":nope = #nope", kUndefinedValue + ":nope"},
        Refusal{"a.#nope[1] = :s", kUndefinedName + "#nope"},
        // Placeholders before the number of operands, condition by condition.
        Refusal{"attribute_exists(#nope, :s)", kUndefinedName + "#nope"},
        Refusal{
            "attribute_exists(b, c) AND d = :nope",
            kCount + "attribute_exists, number of operands: 2"},
        Refusal{"size(b, c) > :n", kCount + "size, number of operands: 2"},
        Refusal{"begins_with(b)", kCount + "begins_with, number of operands: 1"},
        Refusal{"contains(b, c, d)", kCount + "contains, number of operands: 3"},
        Refusal{"attribute_type(b)", kCount + "attribute_type, number of operands: 1"},
        Refusal{
            "attribute_exists(:s)",
            "Operator or function requires a document path; operator or function: "
            "attribute_exists"},
        Refusal{
            "attribute_not_exists(size(:s))",
            "Operator or function requires a document path; operator or function: "
            "attribute_not_exists"},
        Refusal{"a = a", kDistinct + "=, first operand: [a]"},
        Refusal{"#a <> a", kDistinct + "<>, first operand: [a]"},
        Refusal{
            "contains(b.c[1].a, b.c[1].#a)", kDistinct + "contains, first operand: [b, c, [1], a]"},
        Refusal{"a BETWEEN :s AND a", kDistinct + "BETWEEN, first operand: [a]"},
        Refusal{"a IN (b, a)", kDistinct + "IN, first operand: [a]"},
        Refusal{"begins_with(a, :n)", kType + "begins_with, operand type: N"},
        Refusal{"begins_with(:ss, a)", kType + "begins_with, operand type: SS"},
        Refusal{"begins_with(a, size(b))", kType + "begins_with, operand type: N"},
        Refusal{"size(:n) > a", kType + "size, operand type: N"},
        Refusal{"size(size(a)) > :n", kType + "size, operand type: N"},
        Refusal{"a < :bool", kType + "<, operand type: BOOL"},
        Refusal{":null >= a", kType + ">=, operand type: NULL"},
        Refusal{"a BETWEEN :l AND :l", kType + "BETWEEN, operand type: L"},
        Refusal{"attribute_type(a, :n)", kType + "attribute_type, operand type: N"},
        Refusal{
            "attribute_type(a, b)",
            kType + "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"},
        Refusal{
            "attribute_type(a, :s)",
            "Invalid attribute type name found; type: a, valid types: "
            "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
        Refusal{
            "a BETWEEN :n AND :s",
            kBetween + "same data type for lower and upper bounds; lower bound operand: "
                       "AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"},
        Refusal{
            "a BETWEEN :n2 AND :n",
            kBetween +
                "upper bound to be greater than or equal to lower bound; lower bound operand: "
                "AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:1}"},
        Refusal{
            "a BETWEEN :b AND :s",
            kBetween + "same data type for lower and upper bounds; lower bound operand: "
                       "AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]}, upper "
                       "bound operand: AttributeValue: {S:a}"}
    )
);

TEST(ResolverTest, OperandsThatFitAreAccepted) {
    Cache cache;
    for (const std::string_view text : {
             ":s > :s",
             "a = :m",
             "a <> :null",
             "a IN (:n, :s, :ss)",
             "a BETWEEN b AND :s",
             "size(:ss) > a",
             "attribute_type(a, :type)",
             "contains(:s, a)",
             "a.b = a[0]",
         }) {
        TestRequest request(kValues);
        EXPECT_EQ(message_of(compile_condition(cache, Kind::kFilter, text, request.scope())), "");
    }
}

TEST(ScopeTest, UnusedNamesAreReportedBeforeUnusedValues) {
    Cache cache;
    TestRequest request(R"({":a": {"N": "1"}, ":b": {"N": "2"}})", {{"#a", "a"}, {"#b", "b"}});
    ASSERT_TRUE(compile_condition(cache, Kind::kFilter, "x = :b", request.scope()));
    EXPECT_EQ(
        message_of(request.scope().check_all_used()),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"
    );
    ASSERT_TRUE(compile_condition(cache, Kind::kFilter, "#a.#b = :b", request.scope()));
    EXPECT_EQ(
        message_of(request.scope().check_all_used()),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}"
    );
    ASSERT_TRUE(compile_condition(cache, Kind::kFilter, "x = :a", request.scope()));
    EXPECT_TRUE(request.scope().check_all_used());
}

TEST(ScopeTest, ARequestMayHaveNeitherNamesNorValues) {
    Cache cache;
    Scope scope(nullptr, std::nullopt);
    EXPECT_TRUE(compile_condition(cache, Kind::kFilter, "x = y", scope));
    EXPECT_FALSE(compile_condition(cache, Kind::kFilter, "#x = :y", scope));
    EXPECT_TRUE(scope.check_all_used());
}

TEST(ScopeTest, KeysOfTheMapsAreChecked) {
    EXPECT_EQ(message_of(check_names({})), "ExpressionAttributeNames must not be empty");
    EXPECT_EQ(
        message_of(check_names({{"#ok", "a"}, {"nope", "b"}})),
        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"nope\""
    );
    EXPECT_EQ(
        message_of(check_names({{"#", "a"}})),
        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\""
    );
    EXPECT_EQ(
        message_of(check_names({{"#" + std::string(255, 'a'), "a"}})),
        "ExpressionAttributeNames contains invalid key: The expression attribute map contains a "
        "key that is too long; size of key: 256"
    );
    EXPECT_FALSE(check_names({{"#a", ""}}));
    EXPECT_TRUE(check_names({{"#_1a", "x y"}}));
    EXPECT_EQ(
        message_of(check_value_names(item("{}").view())),
        "ExpressionAttributeValues must not be empty"
    );
    EXPECT_EQ(
        message_of(check_value_names(item(R"({":a-b": {"S": "x"}})").view())),
        "ExpressionAttributeValues contains invalid key: Syntax error; key: \":a-b\""
    );
    EXPECT_TRUE(check_value_names(item(R"({":0": {"S": "x"}})").view()));
}

TEST(CacheTest, ATextIsParsedOncePerKind) {
    Cache cache;
    const auto first = cache.get(Kind::kFilter, "a = b");
    const auto again = cache.get(Kind::kFilter, std::string("a = b"));
    const auto other = cache.get(Kind::kCondition, "a = b");
    EXPECT_EQ(*first, *again);
    EXPECT_NE(*first, *other);
    EXPECT_EQ((*other)->kind, Kind::kCondition);
}

TEST(CacheTest, WhatIsInUseSurvivesEviction) {
    Cache cache(32);
    const auto kept = cache.get(Kind::kFilter, "a = b");
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(cache.get(Kind::kFilter, "a = b" + std::to_string(i)));
    }
    EXPECT_EQ((*kept)->text, "a = b");
    EXPECT_TRUE(cache.get(Kind::kFilter, "a = b"));
    EXPECT_FALSE(cache.get(Kind::kFilter, "a ="));
}

}  // namespace
}  // namespace gateleg::expr

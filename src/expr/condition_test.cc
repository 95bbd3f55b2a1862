#include "expr/condition.h"

#include <gtest/gtest.h>

#include "expr/test_request.h"

namespace gateleg::expr {
namespace {

constexpr std::string_view kItem = R"({
    "pk": {"S": "user#1"},
    "age": {"N": "30"},
    "height": {"N": "1.75"},
    "word": {"S": "h\u00e9llo"},
    "face": {"S": "\ud83d\ude00"},
    "picture": {"B": "AQID"},
    "yes": {"BOOL": true},
    "nothing": {"NULL": true},
    "tags": {"SS": ["a", "b"]},
    "odds": {"NS": ["2", "3", "5"]},
    "bits": {"BS": ["AQ==", "Ag=="]},
    "things": {"L": [{"S": "x"}, {"N": "7"}, {"M": {"deep": {"L": [{"S": "end"}]}}}]},
    "map": {"M": {"core": {"N": "1"}, "a.b": {"S": "dotted"}}}
})";

constexpr std::string_view kValues = R"({
    ":age": {"N": "30"}, ":age2": {"N": "3.0e1"}, ":low": {"N": "-5"}, ":high": {"N": "100"},
    ":a": {"S": "a"}, ":x": {"S": "x"}, ":he": {"S": "h"}, ":ell": {"S": "llo"},
    ":b12": {"B": "AQI="}, ":b2": {"B": "Ag=="}, ":two": {"N": "2"}, ":five": {"N": "5"},
    ":one": {"N": "1"}, ":three": {"N": "3"}, ":true": {"BOOL": true}, ":null": {"NULL": true},
    ":s": {"S": "S"}, ":n": {"S": "N"}, ":ns": {"S": "NS"}, ":seven": {"N": "7"},
    ":ab": {"SS": ["b", "a"]}, ":map": {"M": {"a.b": {"S": "dotted"}, "core": {"N": "1.0"}}},
    ":end": {"S": "end"}, ":user": {"S": "user#"}, ":zero": {"N": "0"}
})";

struct Case {
    std::string_view text;
    bool expected;
};

class HoldsTest : public testing::TestWithParam<Case> {};

TEST_P(HoldsTest, AnswersAsDynamoDbDoes) {
    Cache cache;
    TestRequest request(kValues, {{"#dot", "a.b"}, {"#map", "map"}});
    const auto condition =
        compile_condition(cache, Kind::kCondition, GetParam().text, request.scope());
    ASSERT_TRUE(condition) << condition.error().message;
    EXPECT_EQ(holds(*condition, item(kItem).view()), GetParam().expected) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Comparisons,
    HoldsTest,
    testing::Values(
        Case{"age = :age", true},
        Case{"age = :age2", true},
        Case{"age <> :age2", false},
        Case{":age = age", true},
        Case{"age < :high", true},
        Case{"age<:low", false},
        Case{"age <= :age and age >= :age", true},
        Case{"age > :a", false},
        Case{"age <> :a", true},
        Case{"gone = :a", false},
        Case{"gone <> :a", true},
        Case{"gone < :a", false},
        Case{"NOT gone < :a", true},
        Case{"height > :one AND height < :two", true},
        Case{"tags = :ab", true},
        Case{"#map = :map", true},
        Case{"yes = :true and nothing = :null", true},
        Case{":low < :high", true}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Logic,
    HoldsTest,
    testing::Values(
        // AND binds more tightly than OR, NOT more tightly than both.
        Case{"age = :age OR age = :low AND age = :high", true},
        Case{"(age = :age OR age = :low) AND age = :high", false},
        Case{"NOT age = :low AND age = :age", true},
        Case{"NOT (age = :age AND yes = :true)", false},
        Case{"not not age = :age", true},
        Case{"age = :low or age = :high Or age = :age", true}
    )
);

INSTANTIATE_TEST_SUITE_P(
    BetweenAndIn,
    HoldsTest,
    testing::Values(
        Case{"age BETWEEN :low AND :high", true},
        Case{"age between :age and :age", true},
        Case{"age BETWEEN :low AND :five", false},
        Case{"word BETWEEN :low AND :high", false},
        Case{"gone BETWEEN :low AND :high", false},
        Case{"age BETWEEN height AND :high AND yes = :true", true},
        Case{"age IN (:low, :age, :high)", true},
        Case{"age in (:a, pk)", false},
        Case{"gone IN (:a)", false}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Paths,
    HoldsTest,
    testing::Values(
        Case{"things[0] = :x", true},
        Case{"things[1] = :seven", true},
        Case{"things[9] = :x", false},
        Case{"things[2].deep[0] = :end", true},
        Case{"#map.core = :one", true},
        Case{"attribute_exists(#map.#dot)", true},
        Case{"attribute_exists(#dot)", false},
        Case{"attribute_exists(word.core)", false},
        Case{"attribute_exists(#map[0])", false},
        Case{"(things[2]).deep[0] = :end", true},
        Case{"((things[2].deep)[0] = :end)", true}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Functions,
    HoldsTest,
    testing::Values(
        Case{"attribute_exists(age)", true},
        Case{"attribute_exists(gone)", false},
        Case{"attribute_not_exists(gone)", true},
        Case{"attribute_not_exists(things[7])", true},
        Case{"attribute_type(word, :s)", true},
        Case{"attribute_type(word, :n)", false},
        Case{"attribute_type(odds, :ns)", true},
        Case{"attribute_type(gone, :s)", false},
        Case{"begins_with(word, :he)", true},
        Case{"begins_with(pk, :user)", true},
        Case{"begins_with(picture, :b12)", true},
        Case{"begins_with(picture, :he)", false},
        Case{"begins_with(age, :he)", false},
        Case{"contains(word, :ell)", true},
        Case{"contains(word, :x)", false},
        Case{"contains(picture, :b2)", true},
        Case{"contains(tags, :a)", true},
        Case{"contains(odds, :five)", true},
        Case{"contains(odds, :one)", false},
        Case{"contains(bits, :b2)", true},
        Case{"contains(things, :seven)", true},
        Case{"contains(#map, :one)", false},
        Case{"contains(tags, :two)", false},
        Case{"size(word) = :five", true},
        Case{"size(face) = :two", true},
        Case{"size(picture) = :three", true},
        Case{"size(tags) = :two and size(odds) = :three and size(#map) = :two", true},
        Case{"size(things) BETWEEN :two AND :five", true},
        Case{"size(age) = :two", false},
        Case{"size(gone) >= :zero", false},
        Case{"(size(things)) > (:two)", true}
    )
);

TEST(ConditionTest, NoItemIsAnItemWithoutAttributes) {
    Cache cache;
    TestRequest request(R"({":a": {"S": "a"}})");
    const auto absent = compile_condition(
        cache, Kind::kCondition, "attribute_not_exists(pk) AND b <> :a", request.scope()
    );
    ASSERT_TRUE(absent);
    EXPECT_TRUE(holds(*absent, std::nullopt));
}

TEST(ConditionTest, RootNamesAreListedOnceAndNestedOnesApart) {
    Cache cache;
    TestRequest request("", {{"#n", "name"}});
    const auto condition = compile_condition(
        cache, Kind::kFilter, "attribute_exists(b.c) AND #n < b AND a <> #n", request.scope()
    );
    ASSERT_TRUE(condition);
    EXPECT_EQ(root_names(*condition), (std::vector<std::string_view>{"b", "name", "a"}));
    EXPECT_EQ(nested_root_names(*condition), (std::vector<std::string_view>{"b"}));
}

}  // namespace
}  // namespace gateleg::expr

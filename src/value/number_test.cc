#include "value/number.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/schoolbook.h"
#include "value/value_samples.h"

namespace gateleg::value {
namespace {

std::string canonical(std::string_view text) {
    const auto number = Number::parse(text);
    return number ? number->to_text() : "error: " + number.error().message;
}

std::string digits(std::size_t count, char digit = '9') {
    return std::string(count, digit);
}

constexpr auto kOverflow =
    "error: Number overflow. Attempting to store a number with magnitude larger than supported "
    "range";
constexpr auto kUnderflow =
    "error: Number underflow. Attempting to store a number with magnitude smaller than supported "
    "range";
constexpr auto kTooPrecise =
    "error: Attempting to store more than 38 significant digits in a Number";

TEST(NumberTest, EverySpellingBecomesTheCanonicalOne) {
    const struct {
        std::string_view text;
        std::string_view expected;
    } cases[] = {
        {"0", "0"},           {"-0", "0"},
        {"+0.000", "0"},      {"0e1000", "0"},
        {"00042", "42"},      {"1.0", "1"},
        {"3.1400", "3.14"},   {"1.5E2", "150"},
        {"1e+3", "1000"},     {"100", "100"},
        {"+3", "3"},          {".123", "0.123"},
        {"5.", "5"},          {"-17e5", "-1700000"},
        {"-0.50", "-0.5"},    {"12.5e-3", "0.0125"},
        {"0001.23", "1.23"},  {"1e-1", "0.1"},
        {"0.00100e5", "100"}, {"1e00000000000000000002", "100"},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(canonical(c.text), c.expected) << c.text;
    }
}

TEST(NumberTest, WhatIsNoNumberIsNamed) {
    for (const std::string text :
         {" 1",  "1 ",    "NaN",   "Infinity", "-Infinity", "0x1", "1_000",
          "abc", "-",     "+",     ".",        "e5",        ".e5", "1e",
          "1e+", "1e1.5", "1.2.3", "--1",      "1,5",       "12e", "\xd9\xa1"}) {
        EXPECT_EQ(
            canonical(text), "error: The parameter cannot be converted to a numeric value: " + text
        );
    }
    EXPECT_EQ(canonical(""), "error: The parameter cannot be converted to a numeric value");
}

TEST(NumberTest, RangeAndPrecisionEndWhereDynamoDbEndsThem) {
    EXPECT_EQ(canonical("9." + digits(37) + "E+125"), digits(38) + digits(88, '0'));
    EXPECT_EQ(canonical("-9." + digits(37) + "E+125"), "-" + digits(38) + digits(88, '0'));
    EXPECT_EQ(canonical("1E-130"), "0." + digits(129, '0') + "1");
    EXPECT_EQ(canonical("1E126"), kOverflow);
    EXPECT_EQ(canonical("-1E126"), kOverflow);
    EXPECT_EQ(canonical("1E99999999999999999999"), kOverflow);
    EXPECT_EQ(canonical("1E-131"), kUnderflow);
    EXPECT_EQ(canonical("0.9E-130"), kUnderflow);
    EXPECT_EQ(canonical("1E-99999999999999999999"), kUnderflow);
    EXPECT_EQ(canonical(digits(38)), digits(38));
    EXPECT_EQ(canonical(digits(39)), kTooPrecise);
    EXPECT_EQ(canonical("0." + digits(39)), kTooPrecise);
    EXPECT_EQ(canonical(digits(38) + ".0000"), digits(38));
    EXPECT_EQ(canonical("0000" + digits(38) + "000"), digits(38) + "000");
}

TEST(NumberTest, MillionsOfDigitsAreRefusedOrReduced) {
    const std::string zeros = digits(5'000'000, '0');
    EXPECT_EQ(canonical(digits(5'000'000)), kOverflow);
    EXPECT_EQ(canonical("0." + digits(5'000'000)), kTooPrecise);
    EXPECT_EQ(canonical(zeros + "7"), "7");
    EXPECT_EQ(canonical("7." + zeros), "7");
    EXPECT_EQ(canonical("7" + zeros + "e-5000000"), "7");
    EXPECT_EQ(canonical("0." + zeros + "7e5000001"), "7");
    EXPECT_LT(canonical(digits(5'000'000) + "x").size(), 1000U);
}

std::string sum_text(const Result<Number>& sum) {
    return sum ? sum->to_text() : "error: " + sum.error().message;
}

std::string expected_text(const Schoolbook& sum) {
    if (sum.is_zero()) {
        return "0";
    }
    if (sum.significant_digits() > 38 || sum.magnitude() > 125) {
        return kOverflow;
    }
    return sum.magnitude() < -130 ? kUnderflow : sum.to_text();
}

TEST(NumberTest, SumsAreExactOrRefused) {
    const struct {
        std::string left;
        std::string right;
        std::string expected;
    } cases[] = {
        {"1", "10000000000000000000000", "10000000000000000000001"},
        {"0.1", "0.2", "0.3"},
        {"5", "-5", "0"},
        {"-7", "0", "-7"},
        {"1e50", "1", kOverflow},
        {"1e50", "-1", kOverflow},
        {"9e125", "9e125", kOverflow},
        {digits(38), "1", "1" + digits(38, '0')},
        {digits(38), "2", kOverflow},
        {"1e38", "-" + digits(38), "1"},
        {"19e37", "-" + digits(38), "90000000000000000000000000000000000001"},
        {"2e38", "-1", kOverflow},
        {"3e38", "-" + digits(38), kOverflow},
        {"1e39", "-" + digits(38), kOverflow},
        {"1.1e-130", "-1e-130", kUnderflow},
    };
    for (const auto& c : cases) {
        const auto left = *Number::parse(c.left);
        const auto right = *Number::parse(c.right);
        EXPECT_EQ(sum_text(Number::add(left, right)), c.expected) << c.left << " " << c.right;
        EXPECT_EQ(sum_text(Number::add(right, left)), c.expected) << c.left << " " << c.right;
    }
}

TEST(NumberTest, IntegersKeepTheirValue) {
    for (const auto value :
         {std::int64_t{0},
          std::int64_t{-1},
          std::int64_t{1000},
          std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min()}) {
        EXPECT_EQ(Number::from_int(value).to_text(), std::to_string(value));
        EXPECT_EQ(Number::from_int(value), *Number::parse(std::to_string(value)));
    }
}

RC_GTEST_PROP(NumberProperties, PrintsAsTheSchoolbookDoes, ()) {
    const auto text = *samples::number_text();
    RC_ASSERT(canonical(text) == Schoolbook(text).to_text());
    RC_ASSERT(canonical(canonical(text)) == canonical(text));
}

RC_GTEST_PROP(NumberProperties, ComparesAsTheSchoolbookDoes, ()) {
    const auto left = *samples::number_text();
    const auto right = *samples::number_text();
    const auto expected = Schoolbook(left) <=> Schoolbook(right);
    RC_ASSERT((*Number::parse(left) <=> *Number::parse(right)) == expected);
    RC_ASSERT(compare_number_texts(canonical(left), canonical(right)) == expected);
    RC_ASSERT((*Number::parse(left) == *Number::parse(right)) == (expected == 0));
}

RC_GTEST_PROP(NumberProperties, AddsAsTheSchoolbookDoes, ()) {
    const auto left = *samples::number_text();
    const auto right = *samples::number_text();
    const auto sum = Number::add(*Number::parse(left), *Number::parse(right));
    const auto difference = Number::subtract(*Number::parse(left), *Number::parse(right));
    RC_ASSERT(sum_text(sum) == expected_text(Schoolbook(left) + Schoolbook(right)));
    RC_ASSERT(sum_text(difference) == expected_text(Schoolbook(left) + -Schoolbook(right)));
}

RC_GTEST_PROP(NumberProperties, OnlyWhatParsesToItselfIsTakenForCanonical, ()) {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('0', '1', '9', '-', '.'));
    if (is_short_canonical_number(text)) {
        RC_ASSERT(canonical(text) == text);
    } else {
        RC_ASSERT(canonical(text) != text || text.size() > 38);
    }
}

}  // namespace
}  // namespace gateleg::value

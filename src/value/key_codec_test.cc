#include "value/key_codec.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/schoolbook.h"
#include "value/value_samples.h"

namespace gateleg::value {
namespace {

std::string key_of(const AttributeValue& value) {
    std::string key;
    append_key(key, ValueView(encode(value).data()));
    return key;
}

std::string number_key(std::string_view text) {
    return key_of({*Number::parse(text)});
}

std::strong_ordering order(const std::string& left, const std::string& right) {
    return left.compare(right) <=> 0;
}

// Decodes with other bytes behind: an encoding must know its own end.
void expect_round_trip(const AttributeValue& value) {
    const std::string key = key_of(value) + "rest";
    std::string_view in = key;
    std::string decoded;
    decode_key(decoded, value.type(), in);
    RC_ASSERT(decoded == encode(value));
    RC_ASSERT(in == "rest");
}

TEST(KeyCodecTest, NumbersSortByValue) {
    const std::vector<std::string> ascending = {
        "-9.9999999999999999999999999999999999999E+125",
        "-1e125",
        "-1000",
        "-100.5",
        "-100",
        "-99",
        "-10",
        "-9.5",
        "-9",
        "-1.01",
        "-1",
        "-0.5",
        "-0.05",
        "-1e-130",
        "0",
        "1e-130",
        "0.05",
        "0.5",
        "1",
        "1.01",
        "1.1",
        "9",
        "10",
        "11",
        "99",
        "100",
        "100.5",
        "1000",
        "1e125"};
    for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
        EXPECT_LT(number_key(ascending[i]), number_key(ascending[i + 1])) << ascending[i];
    }
}

TEST(KeyCodecTest, NumbersAreSmall) {
    EXPECT_EQ(number_key("0"), std::string("\x02"));
    EXPECT_EQ(number_key("1").size(), 3U);
    EXPECT_EQ(number_key("1700000000000").size(), 3U);
    EXPECT_EQ(number_key("1714556412345").size(), 9U);
    EXPECT_EQ(number_key(std::string(38, '9')).size(), 21U);
}

// Written to disk: these bytes may never change.
TEST(KeyCodecTest, BytesOnDiskAreFixed) {
    EXPECT_EQ(number_key("123"), std::string("\x03\x84\x19\x3c"));
    EXPECT_EQ(number_key("-123"), std::string("\x01\x7b\xe6\xc3"));
    EXPECT_EQ(key_of({std::string("a")}), std::string("a\0\1", 3));
    EXPECT_EQ(
        key_of({Binary{std::string("\0b", 2)}}),
        std::string(
            "\0\xff"
            "b\0\1",
            5
        )
    );
}

RC_GTEST_PROP(KeyCodecProperties, NumbersKeepTheirOrder, ()) {
    const auto left = *samples::number_text();
    const auto right = *samples::number_text();
    RC_ASSERT(
        order(number_key(left), number_key(right)) == (Schoolbook(left) <=> Schoolbook(right))
    );
}

RC_GTEST_PROP(KeyCodecProperties, BytesKeepTheirOrder, ()) {
    const auto left = *samples::bytes();
    const auto right = *samples::bytes();
    std::string left_key;
    std::string right_key;
    append_key_bytes(left_key, left);
    append_key_bytes(right_key, right);
    RC_ASSERT(order(left_key, right_key) == order(left, right));
    // What follows the component never decides before it does.
    if (left != right) {
        RC_ASSERT(order(left_key + '\xff', right_key) == order(left, right));
    }
}

RC_GTEST_PROP(KeyCodecProperties, PrefixesStayPrefixes, ()) {
    const auto head = *samples::bytes();
    const auto tail = *samples::bytes();
    std::string prefix;
    std::string whole;
    append_key_prefix(prefix, head);
    append_key_bytes(whole, head + tail);
    RC_ASSERT(whole.starts_with(prefix));

    const auto other = *samples::bytes();
    std::string other_key;
    append_key_bytes(other_key, other);
    RC_ASSERT(other_key.starts_with(prefix) == other.starts_with(head));
}

RC_GTEST_PROP(KeyCodecProperties, DecodesWhatItEncodes, ()) {
    expect_round_trip({*samples::text()});
    expect_round_trip({*samples::number()});
    expect_round_trip({*samples::binary()});
}

RC_GTEST_PROP(KeyCodecProperties, ANumberAndItsValueHaveOneKey, ()) {
    const auto number = *samples::number();
    std::string key;
    append_key_number(key, number);
    RC_ASSERT(key == key_of({number}));
}

}  // namespace
}  // namespace gateleg::value

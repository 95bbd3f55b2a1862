#include "value/item_size.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/attribute_value.h"
#include "value/value_samples.h"

namespace gateleg::value {
namespace {

std::size_t size_of(const AttributeValue& value) {
    return value_size(ValueView(encode(value).data()));
}

TEST(ItemSizeTest, NumbersCostHalfAByteADigit) {
    const struct {
        std::string_view text;
        std::size_t expected;
    } cases[] = {
        {"0", 1},
        {"1", 2},
        {"27", 2},
        {"-27", 3},
        {"461", 3},
        {"100", 2},
        {"1e125", 2},
        {"0.5", 2},
        {"0.0005", 2},
        {"1.5", 3},
        {"10.5", 3},
        {"1.05", 3},
        {"-0.1", 3},
        {"1786461547", 6},
        {"123.456", 5},
        {"99999999999999999999999999999999999999", 20},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(size_of({*Number::parse(c.text)}), c.expected) << c.text;
    }
}

TEST(ItemSizeTest, EachTypeCostsWhatDynamoDbSays) {
    EXPECT_EQ(size_of({std::string("\u00e4b")}), 3U);
    EXPECT_EQ(size_of({std::string()}), 0U);
    EXPECT_EQ(size_of({Binary{"abcd"}}), 4U);
    EXPECT_EQ(size_of({true}), 1U);
    EXPECT_EQ(size_of({Null{}}), 1U);
    EXPECT_EQ(size_of({List{}}), 3U);
    EXPECT_EQ(size_of({Map{}}), 3U);
    EXPECT_EQ(size_of({List{{true}, {std::string("ab")}}}), 3U + 2 + 1 + 2);
    EXPECT_EQ(size_of({Map{{"name", {std::string("ab")}}}}), 3U + 1 + 4 + 2);
    EXPECT_EQ(size_of({StringSet{"a", "bc"}}), 3U);
    EXPECT_EQ(size_of({NumberSet{Number::from_int(1), Number::from_int(-100)}}), 2U + 3);
    EXPECT_EQ(size_of({BinarySet{{"abc"}}}), 3U);
}

TEST(ItemSizeTest, AnItemIsItsNamesAndValues) {
    const auto item = encode_item({{"pk", {std::string("abc")}}, {"flag", {true}}});
    EXPECT_EQ(item_size(item.view()), 2U + 3 + 4 + 1);
}

TEST(ItemSizeTest, ListsOfNullsCountMostForTheirBytes) {
    const auto bytes = encode({List(10'000, AttributeValue{Null{}})});
    const auto size = value_size(ValueView(bytes.data()));
    EXPECT_GT(size, bytes.size());
    EXPECT_LE(size, kMostSizeOfByte * bytes.size());
}

RC_GTEST_PROP(ItemSizeProperties, AnItemCountsForAtMostSoMuchOfItsBytes, ()) {
    const auto item = encode_item(*samples::item());
    RC_ASSERT(item_size(item.view()) <= kMostSizeOfByte * item.bytes().size());
}

}  // namespace
}  // namespace gateleg::value

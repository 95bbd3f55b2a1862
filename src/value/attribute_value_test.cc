#include "value/attribute_value.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/value_samples.h"

namespace gateleg::value {
namespace {

AttributeValue number(std::int64_t value) {
    return {Number::from_int(value)};
}

TEST(ValueViewTest, FindsWhatIsThereAndNothingElse) {
    const auto item = encode_item(
        {{"a", number(1)},
         {"list", {List{number(10), {std::string("x")}, {Map{{"in", number(2)}}}}}},
         {"tags", {StringSet{"blue", "red"}}}}
    );
    const auto view = item.view();
    EXPECT_EQ(view.count(), 3U);
    EXPECT_EQ(view.find("a")->text(), "1");
    EXPECT_FALSE(view.find(""));
    EXPECT_FALSE(view.find("aa"));
    EXPECT_FALSE(view.find("zz"));
    const auto list = *view.find("list");
    EXPECT_EQ(list.at(0)->text(), "10");
    EXPECT_EQ(list.at(2)->find("in")->text(), "2");
    EXPECT_FALSE(list.at(3));
    const auto tags = *view.find("tags");
    EXPECT_TRUE(tags.has_member("red"));
    EXPECT_FALSE(tags.has_member("re"));
}

TEST(ValueViewTest, LongTextsCarryTheirLength) {
    for (const std::size_t size : {0U, 127U, 128U, 16383U, 16384U, 409600U}) {
        const auto bytes = encode({std::string(size, 'x')});
        const ValueView view(bytes.data());
        EXPECT_EQ(view.text().size(), size);
        EXPECT_EQ(view.bytes().size(), bytes.size());
    }
}

TEST(ValueViewTest, NumbersOfASetAreInOrderOfValue) {
    const auto bytes = encode({NumberSet{
        Number::from_int(10), Number::from_int(9), Number::from_int(-1), *Number::parse("9.5")}});
    std::string order;
    for (const auto member : ValueView(bytes.data()).members()) {
        order.append(member).append(" ");
    }
    EXPECT_EQ(order, "-1 9 9.5 10 ");
}

// Written to disk: these bytes may never change.
TEST(ValueViewTest, BytesOnDiskAreFixed) {
    const auto item = encode_item({{"a", {std::string("x\n")}}, {"b", {true}}, {"c", {Null{}}}});
    const char expected[] =
        "\x07\x11\0\0\0\x03\0\0\0"
        "\x01"
        "a\x81\x02x\n"
        "\x01"
        "b\x04\x01"
        "\x01"
        "c\x05";
    EXPECT_EQ(item.bytes(), std::string(expected, sizeof expected - 1));
}

RC_GTEST_PROP(AttributeValueProperties, DecodesWhatItEncodes, ()) {
    const auto item = *samples::item();
    const auto encoded = encode_item(item);
    RC_ASSERT(encoded.view().bytes().size() == encoded.bytes().size());
    RC_ASSERT(decode_item(encoded.view()) == item);
}

RC_GTEST_PROP(AttributeValueProperties, EqualBytesMeanEqualValues, ()) {
    const auto left = *rc::gen::exec([] { return *samples::value(1); });
    const auto right = *rc::gen::exec([] { return *samples::value(1); });
    RC_ASSERT((encode(left) == encode(right)) == (left == right));
}

}  // namespace
}  // namespace gateleg::value

#include "model/item_codec.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;

AttributeValue text(std::string value) {
    return {std::move(value)};
}
AttributeValue number(const char* value) {
    return {*Number::parse(value)};
}

Attribute attribute(AttributeType type) {
    Attribute made;
    made.name = "x";
    made.type = type;
    return made;
}

// The stored value, or nothing and the message.
std::optional<AttributeValue> read(
    const Attribute& to,
    const AttributeValue& given,
    std::string* message = nullptr,
    Spelling spelling = Spelling::kJson
) {
    FieldErrors errors;
    auto stored = read_value(to, given, spelling, "x", errors);
    EXPECT_EQ(stored.has_value(), errors.empty());
    if (message != nullptr && !errors.empty()) {
        *message = errors.to_error().message;
    }
    return stored;
}

TEST(ItemCodecTest, TypesAreStrictInBodiesAndReadFromText) {
    const auto integer = attribute(AttributeType::kInteger);
    EXPECT_EQ(read(integer, number("12")), number("12"));
    EXPECT_FALSE(read(integer, text("12")));
    EXPECT_EQ(read(integer, text("12"), nullptr, Spelling::kText), number("12"));
    EXPECT_FALSE(read(integer, number("1.5")));
    const auto boolean = attribute(AttributeType::kBoolean);
    EXPECT_FALSE(read(boolean, text("true")));
    EXPECT_EQ(read(boolean, text("true"), nullptr, Spelling::kText), AttributeValue{true});
    EXPECT_FALSE(read(attribute(AttributeType::kString), number("1")));
    EXPECT_FALSE(read(attribute(AttributeType::kList), text("a")));
    EXPECT_FALSE(read(attribute(AttributeType::kMap), AttributeValue{value::List{}}));
    EXPECT_FALSE(read(attribute(AttributeType::kBinary), text("no base64!")));
}

TEST(ItemCodecTest, TimesComeInTheStoredForm) {
    const auto given = text("2025-03-01T12:20:30.4+02:00");
    auto timestamp = attribute(AttributeType::kTimestamp);
    EXPECT_EQ(read(timestamp, given), text("2025-03-01T10:20:30.400Z"));
    timestamp.whole_seconds = true;
    EXPECT_EQ(read(timestamp, given), text("2025-03-01T10:20:30Z"));
    EXPECT_FALSE(read(timestamp, text("yesterday")));
    const auto seconds = attribute(AttributeType::kEpochSeconds);
    EXPECT_EQ(read(seconds, given), number("1740824430"));
    EXPECT_EQ(read(seconds, number("1740824430")), number("1740824430"));
    std::string message;
    EXPECT_FALSE(read(seconds, number("1740824430400"), &message));
    EXPECT_EQ(message, "'x' must be seconds, not milliseconds");
    EXPECT_EQ(read(attribute(AttributeType::kEpochMillis), given), number("1740824430400"));
    EXPECT_EQ(value_to_api(&seconds, number("1740824430")), text("2025-03-01T10:20:30.000Z"));
    // A year has four digits. What somebody else has stored is shown as it is.
    const auto millis = attribute(AttributeType::kEpochMillis);
    EXPECT_EQ(read(millis, number("253402300799999")), number("253402300799999"));
    EXPECT_FALSE(read(millis, number("253402300800000"), &message));
    EXPECT_EQ(message, "'x' must be a time of the years 0 to 9999");
    EXPECT_FALSE(read(seconds, number("-62167219201")));
    for (const auto& far : {number("9223372036854775807"), number("-9223372036854775808")}) {
        EXPECT_EQ(value_to_api(&seconds, far), far);
        EXPECT_EQ(value_to_api(&millis, far), far);
    }
}

TEST(ItemCodecTest, RulesAreNamed) {
    auto title = attribute(AttributeType::kString);
    title.min = Number::from_int(1);
    title.max = Number::from_int(3);
    std::string message;
    EXPECT_FALSE(read(title, text(""), &message));
    EXPECT_EQ(message, "'x' must have at least 1 characters");
    EXPECT_TRUE(read(title, text("\xC3\xA4\xC3\xB6\xC3\xBC")));  // characters, not bytes
    EXPECT_FALSE(read(title, text("abcd")));
    auto amount = attribute(AttributeType::kNumber);
    amount.decimals = 2;
    amount.above = Number();
    EXPECT_EQ(read(amount, text("1.25")), number("1.25"));  // amounts may come as text
    EXPECT_FALSE(read(amount, number("1.255"), &message));
    EXPECT_EQ(message, "'x' must have at most 2 decimals");
    EXPECT_FALSE(read(amount, number("0")));
    auto length = attribute(AttributeType::kInteger);
    length.step = Number::from_int(5);
    EXPECT_TRUE(read(length, number("15")));
    EXPECT_FALSE(read(length, number("16")));
    auto plan = attribute(AttributeType::kEnum);
    plan.values = {"free", "pro"};
    EXPECT_FALSE(read(plan, text("Free"), &message));
    EXPECT_EQ(message, "'x' must be one of free, pro");
}

TEST(ItemCodecTest, NormalFormsComeBeforeRules) {
    auto email = attribute(AttributeType::kString);
    email.normalise = {Normalise::kTrim, Normalise::kLower};
    email.pattern = "^[a-z@.]+$";
    email.regex = std::make_shared<const re2::RE2>(email.pattern);
    EXPECT_EQ(read(email, text("  Ann@Example.com ")), text("ann@example.com"));
    auto tags = attribute(AttributeType::kList);
    tags.of = std::make_shared<Attribute>(attribute(AttributeType::kString));
    tags.normalise = {Normalise::kSqueeze, Normalise::kLower, Normalise::kDistinct};
    tags.max = Number::from_int(2);
    const AttributeValue given{value::List{text("Sea  View"), text("sea view"), text("Fog")}};
    EXPECT_EQ(read(tags, given), (AttributeValue{value::List{text("sea view"), text("fog")}}));
}

TEST(ItemCodecTest, EveryBadFieldIsListed) {
    auto line = attribute(AttributeType::kMap);
    auto sku = attribute(AttributeType::kString);
    sku.name = "sku";
    sku.required = true;
    auto count = attribute(AttributeType::kInteger);
    count.name = "n";
    line.fields = {sku, count};
    auto lines = attribute(AttributeType::kList);
    lines.of = std::make_shared<Attribute>(line);
    FieldErrors errors;
    const AttributeValue given{value::List{
        AttributeValue{value::Map{{"n", text("two")}, {"color", text("red")}}},
        AttributeValue{value::Map{{"sku", number("5")}}}}};
    EXPECT_FALSE(read_value(lines, given, Spelling::kJson, "lines", errors));
    const auto error = errors.to_error();
    EXPECT_EQ(error.status, 400);
    EXPECT_EQ(error.code, "ValidationFailed");
    ASSERT_EQ(error.details.size(), 3U);
    EXPECT_EQ(error.details[0].first, "lines[0].n");
    EXPECT_EQ(error.details[1].first, "lines[1].sku");
    EXPECT_EQ(error.details[2].first, "lines[0].color");
}

TEST(ItemCodecTest, SpelledBooleansAreBooleansOutside) {
    auto shown = attribute(AttributeType::kBoolean);
    shown.spelling = {"true", "false"};
    EXPECT_EQ(read(shown, AttributeValue{false}), text("false"));
    EXPECT_EQ(value_to_api(&shown, text("false")), AttributeValue{false});
    auto set = attribute(AttributeType::kSet);
    EXPECT_EQ(read(set, AttributeValue{value::List{}}), AttributeValue{value::Null{}});
    EXPECT_EQ(
        value_to_api(&set, {value::StringSet{"a", "b"}}),
        (AttributeValue{value::List{text("a"), text("b")}})
    );
}

}  // namespace
}  // namespace gateleg::model

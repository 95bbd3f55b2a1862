#include "value/json_tree.h"

#include <gtest/gtest.h>

namespace gateleg::value {
namespace {

std::string round_trip(std::string_view text) {
    const auto tree = parse_json(text);
    if (!tree) {
        return tree.error().code == ErrorCode::kSerialization ? "malformed" : "invalid";
    }
    std::string out;
    append_plain_json(out, *tree);
    return out;
}

TEST(JsonTreeTest, KeepsWhatItReads) {
    for (const std::string_view text :
         {"null",
          "true",
          "[]",
          "{}",
          "\"\"",
          R"({"a":[1,-2.5,"x",{"b":null}]})",
          "12345678901234567890123456789012345678",
          "\"\xC3\xA4\xF0\x9F\x98\x80\""}) {
        EXPECT_EQ(round_trip(text), text);
    }
    EXPECT_EQ(round_trip(" { \"a\" :\n1e2 , \"b\":-0 } "), R"({"a":100,"b":0})");
    EXPECT_EQ(round_trip(R"("\u00e4\uD83D\uDE00\n\/")"), "\"\xC3\xA4\xF0\x9F\x98\x80\\n/\"");
}

TEST(JsonTreeTest, RefusesWhatIsNotJson) {
    for (const std::string_view text :
         {"",
          " ",
          "{",
          "}",
          "[1,]",
          R"({"a":1,})",
          R"({a:1})",
          "{'a':1}",
          R"({"a"})",
          R"({"a":})",
          "01",
          "-",
          "1.",
          ".5",
          "1e",
          "+1",
          "NaN",
          "Infinity",
          "0x1",
          "tru",
          "nullx",
          "1 2",
          R"("a)",
          R"("\x")",
          R"("\u12")",
          R"("\uD800")",
          R"("\uD800\u0041")",
          "\"\x01\"",
          "\"\xff\"",
          "\"\xed\xa0\x80\"",
          R"({"a":1,"a":2})",
          R"({"a":{"b":1,"b":1}})"}) {
        EXPECT_EQ(round_trip(text), "malformed") << text;
    }
    EXPECT_EQ(round_trip(std::string_view("1\0", 2)), "malformed");
}

TEST(JsonTreeTest, NumbersThatDynamoDbCannotHoldAreNotMalformed) {
    EXPECT_EQ(round_trip("1e126"), "invalid");
    EXPECT_EQ(round_trip("123456789012345678901234567890123456789"), "invalid");
    EXPECT_EQ(round_trip(std::string(1'000'000, '9')), "invalid");
}

TEST(JsonTreeTest, NestingHasAnEnd) {
    EXPECT_EQ(round_trip(std::string(31, '[') + std::string(31, ']')).size(), 62U);
    EXPECT_EQ(round_trip(std::string(32, '[') + std::string(32, ']')), "malformed");
    EXPECT_EQ(round_trip(std::string(1'000'000, '[')), "malformed");
}

}  // namespace
}  // namespace gateleg::value

#include "base/json_indent.h"

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(JsonIndentTest, AMemberALine) {
    EXPECT_EQ(
        indent_json(R"({"a":[1,{"b":null}],"c":"x"})"),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": \"x\"\n}\n"
    );
}

TEST(JsonIndentTest, EmptyOnesStayOnTheirLine) {
    EXPECT_EQ(indent_json(R"({"a":{},"b":[]})"), "{\n  \"a\": {},\n  \"b\": []\n}\n");
    EXPECT_EQ(indent_json("7"), "7\n");
}

TEST(JsonIndentTest, TextIsLeftAlone) {
    EXPECT_EQ(indent_json(R"(["a,{}:\"]","\\"])"), "[\n  \"a,{}:\\\"]\",\n  \"\\\\\"\n]\n");
    // A text that is no JSON is no reason to leave its bounds.
    EXPECT_EQ(indent_json("]\"\\"), "\n]\"\\\n");
}

}  // namespace
}  // namespace gateleg

#include "api/dynamodb/wire_reader.h"

#include <gtest/gtest.h>

#include "api/dynamodb/test_wire.h"

namespace gateleg::api::dynamodb {
namespace {

class WireReaderTest : public testing::Test {
protected:
    Fields fields(std::string_view json) {
        problems_ = Problems();
        return Fields(problems_, parser_.parse(json.data(), json.size()).value());
    }
    std::string problem() const {
        const auto checked = problems_.check();
        return checked ? "" : checked.error().message;
    }

    dom::parser parser_;
    Problems problems_;
};

TEST_F(WireReaderTest, MembersAreReadByType) {
    const auto in =
        fields(R"({"Text":"x","Empty":"","Number":5,"Fraction":5.9,"Flag":true,"Nothing":null,)"
               R"("List":[1,2],"Map":{"a":1}})");
    EXPECT_EQ(in.text("Text"), "x");
    EXPECT_EQ(in.text("Empty"), "");
    EXPECT_EQ(in.integer("Number"), 5);
    EXPECT_EQ(in.integer("Fraction"), 5);
    EXPECT_EQ(in.boolean("Flag"), true);
    EXPECT_FALSE(in.has("Nothing"));
    EXPECT_FALSE(in.text("Nothing"));
    EXPECT_FALSE(in.has("Absent"));
    EXPECT_EQ(in.list("List")->size(), 2U);
    EXPECT_EQ(in.map("Map")->size(), 1U);
    EXPECT_EQ(problem(), "");
}

TEST_F(WireReaderTest, WrongTypesAreSerializationErrors) {
    struct Case {
        const char* json;
        const char* as_text;
        const char* as_boolean;
    };
    for (const auto& each : {
             Case{
                 R"({"A":5})",
                 "NUMBER_VALUE cannot be converted to String",
                 "NUMBER_VALUE cannot be converted to Boolean"},
             Case{
                 R"({"A":5.5})",
                 "DECIMAL_VALUE cannot be converted to String",
                 "DECIMAL_VALUE cannot be converted to Boolean"},
             Case{
                 R"({"A":[]})",
                 "Unrecognized collection type class java.util.ArrayList",
                 "Unrecognized collection type class java.util.ArrayList"},
             Case{
                 R"({"A":{}})",
                 "Start of structure or map found where not expected.",
                 "Start of structure or map found where not expected."},
         }) {
        EXPECT_FALSE(fields(each.json).text("A"));
        EXPECT_EQ(problem(), each.as_text);
        EXPECT_FALSE(fields(each.json).boolean("A"));
        EXPECT_EQ(problem(), each.as_boolean);
    }
    EXPECT_FALSE(fields(R"({"A":true})").text("A"));
    EXPECT_EQ(problem(), "TRUE_VALUE cannot be converted to String");
    EXPECT_FALSE(fields(R"({"A":"x"})").boolean("A"));
    EXPECT_EQ(problem(), "STRING_VALUE cannot be converted to Boolean");
    EXPECT_FALSE(fields(R"({"A":"5"})").integer("A"));
    EXPECT_EQ(problem(), "STRING_VALUE cannot be converted to Integer");
    EXPECT_FALSE(fields(R"({"A":1e300})").integer("A"));
    EXPECT_EQ(problem(), "DECIMAL_VALUE cannot be converted to Integer");
    EXPECT_FALSE(fields(R"({"A":"x"})").list("A"));
    EXPECT_EQ(problem(), "Unexpected field type");
    EXPECT_FALSE(fields(R"({"A":[]})").map("A"));
    EXPECT_EQ(problem(), "Start of list found where not expected");
}

TEST_F(WireReaderTest, RootMustBeAnObject) {
    EXPECT_FALSE(fields("[]").has("A"));
    EXPECT_EQ(problem(), "Start of list found where not expected");
    EXPECT_FALSE(fields("\"x\"").has("A"));
    EXPECT_EQ(problem(), "STRING_VALUE cannot be converted to Structure");
}

TEST_F(WireReaderTest, DuplicateMembersAreRefusedAtEveryLevel) {
    EXPECT_FALSE(fields(R"({"A":"1","B":"2","A":"3"})").has("B"));
    EXPECT_EQ(problem(), "Duplicate member in a JSON object");
    EXPECT_FALSE(fields(R"({"M":{"a":"1","a":"1"}})").map("M"));
    EXPECT_EQ(problem(), "Duplicate member in a JSON object");
    (void)fields(R"({"O":{"a":"1","a":"1"}})").object("O");
    EXPECT_EQ(problem(), "Duplicate member in a JSON object");
    (void)fields(R"({"L":[{"a":"1"},{"b":"1","b":"1"}]})").objects("L");
    EXPECT_EQ(problem(), "Duplicate member in a JSON object");

    // Long objects are checked another way.
    std::string many = "{";
    for (int i = 0; i < 40; ++i) {
        many += "\"k" + std::to_string(i) + "\":1,";
    }
    (void)fields(many + "\"k40\":1}");
    EXPECT_EQ(problem(), "");
    (void)fields(many + "\"k3\":1}");
    EXPECT_EQ(problem(), "Duplicate member in a JSON object");
}

TEST_F(WireReaderTest, ConstraintsAreGatheredInOneMessage) {
    const auto in = fields(R"({"Short":"","Small":0,"Large":11,"List":[{"Word":"NEVER"}]})");
    (void)in.required_text("Missing");
    (void)in.required_text("Short");
    in.check_range("Small", 1);
    in.check_range("Large", 1, 10);
    const auto objects = in.objects("List");
    ASSERT_EQ(objects.size(), 1U);
    EXPECT_FALSE(objects[0].choice<int>("Word", {{"A", 1}, {"B", 2}}, "[B, A]"));
    EXPECT_EQ(
        problem(),
        "5 validation errors detected: Value null at 'missing' failed to satisfy constraint: "
        "Member must not be null; Value '' at 'short' failed to satisfy constraint: Member must "
        "have length greater than or equal to 1; Value '0' at 'small' failed to satisfy "
        "constraint: Member must have value greater than or equal to 1; Value '11' at 'large' "
        "failed to satisfy constraint: Member must have value less than or equal to 10; Value "
        "'NEVER' at 'list.1.member.word' failed to satisfy constraint: Member must satisfy enum "
        "value set: [B, A]"
    );
}

TEST_F(WireReaderTest, SerializationComesBeforeConstraintsAndValuesLast) {
    const auto in = fields(R"({"Item":{"a":{"N":"x"}},"Flag":"yes"})");
    (void)in.values("Item");
    (void)in.required_text("Missing");
    EXPECT_TRUE(problem().starts_with("1 validation error detected: Value null at 'missing'"));
    (void)in.boolean("Flag");
    EXPECT_EQ(problem(), "STRING_VALUE cannot be converted to Boolean");

    const auto again = fields(R"({"Item":{"a":{"N":"x"}}})");
    (void)again.values("Item");
    EXPECT_EQ(problems_.check().error().code, ErrorCode::kValidation);
}

}  // namespace
}  // namespace gateleg::api::dynamodb

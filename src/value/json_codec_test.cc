#include "value/json_codec.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/value_samples.h"

namespace gateleg::value {
namespace {

// An item as JSON, read and written back; or the error.
std::string there_and_back(std::string_view json, MapOf what = MapOf::kAttributes) {
    simdjson::dom::parser parser;
    std::string bytes;
    const auto result = append_map_of_values(bytes, parser.parse(json), what);
    if (!result) {
        EXPECT_EQ(bytes, "");
        return std::string(wire_name(result.error().code)) + ": " + result.error().message;
    }
    std::string back;
    append_json_map(back, ValueView(bytes.data()));
    return back;
}

std::string error_of(std::string_view value) {
    return there_and_back("{\"a\":" + std::string(value) + "}");
}

constexpr std::string_view kValidation = "ValidationException: ";
constexpr std::string_view kInvalid =
    "ValidationException: One or more parameter values were invalid: ";
constexpr std::string_view kSerialization = "SerializationException: ";

std::string nested(int wraps) {
    std::string json = R"({"S":"x"})";
    for (int i = 0; i < wraps; ++i) {
        json = i % 2 == 0 ? R"({"M":{"a":)" + json + "}}" : R"({"L":[)" + json + "]}";
    }
    return json;
}

TEST(JsonCodecTest, WritesEveryTypeInCanonicalForm) {
    const struct {
        std::string_view json;
        std::string_view expected;
    } cases[] = {
        {R"({})", R"({})"},
        {R"({"b":{"S":""},"a":{"S":"x"}})", R"({"a":{"S":"x"},"b":{"S":""}})"},
        {R"({"a":{"S":"q\"\u0001\n/\u00e4"}})", "{\"a\":{\"S\":\"q\\\"\\u0001\\n/\u00e4\"}}"},
        {R"({"q\"":{"N":"1.50"}})", R"({"q\"":{"N":"1.5"}})"},
        {R"({"a":{"N":"-12"},"b":{"N":"1e3"}})", R"({"a":{"N":"-12"},"b":{"N":"1000"}})"},
        {R"({"a":{"B":"AAEC"},"b":{"B":""}})", R"({"a":{"B":"AAEC"},"b":{"B":""}})"},
        {R"({"a":{"BOOL":false},"b":{"NULL":true}})", R"({"a":{"BOOL":false},"b":{"NULL":true}})"},
        {R"({"a":{"L":[]},"b":{"M":{}}})", R"({"a":{"L":[]},"b":{"M":{}}})"},
        {R"({"a":{"L":[{"N":"1"},{"M":{"y":{"S":"1"},"x":{"S":"2"}}}]}})",
         R"({"a":{"L":[{"N":"1"},{"M":{"x":{"S":"2"},"y":{"S":"1"}}}]}})"},
        {R"({"a":{"SS":["b","a\n",""]}})", R"({"a":{"SS":["","a\n","b"]}})"},
        {R"({"a":{"NS":["10","9","9.50","-1"]}})", R"({"a":{"NS":["-1","9","9.5","10"]}})"},
        {R"({"a":{"BS":["Yg==","YQ=="]}})", R"({"a":{"BS":["YQ==","Yg=="]}})"},
        {R"({"a":{"S":"x","N":null,"Z":1}})", R"({"a":{"S":"x"}})"},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(there_and_back(c.json), c.expected) << c.json;
    }
}

TEST(JsonCodecTest, RefusesValuesInDynamoDbsWords) {
    const struct {
        std::string_view value;
        std::string_view prefix;
        std::string_view text;
    } cases[] = {
        {R"({})",
         kValidation,
         "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
        {R"({"a":""})",
         kValidation,
         "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
        {R"({"L":[{}]})",
         kValidation,
         "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
        {R"({"S":"a","N":"1"})",
         kValidation,
         "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
         "supported datatypes"},
        {R"({"S":"a","N":""})",
         kValidation,
         "The parameter cannot be converted to a numeric value"},
        {R"({"N":"abc"})",
         kValidation,
         "The parameter cannot be converted to a numeric value: abc"},
        {R"({"NS":["1","b"]})",
         kValidation,
         "The parameter cannot be converted to a numeric value: b"},
        {R"({"NULL":false})", kInvalid, "Null attribute value types must have the value of true"},
        {R"({"NULL":"no"})", kInvalid, "Null attribute value types must have the value of true"},
        {R"({"SS":[]})", kInvalid, "An string set  may not be empty"},
        {R"({"NS":[]})", kInvalid, "An number set  may not be empty"},
        {R"({"BS":[]})", kInvalid, "Binary sets should not be empty"},
        {R"({"SS":["b","a","b"]})", kInvalid, "Input collection [b, a, b] contains duplicates."},
        {R"({"NS":["1","1.0"]})", kValidation, "Input collection contains duplicates"},
        {R"({"BS":["Yg==","Yg=="]})",
         kInvalid,
         "Input collection [Yg==, Yg==]of type BS contains duplicates."},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(error_of(c.value), std::string(c.prefix).append(c.text)) << c.value;
    }
}

TEST(JsonCodecTest, RefusesWrongShapesInDynamoDbsWords) {
    const std::string attribute_value = "com.amazonaws.dynamodb.v20120810.AttributeValue";
    const struct {
        std::string_view value;
        std::string text;
    } cases[] = {
        {R"({"S":true})", "TRUE_VALUE cannot be converted to String"},
        {R"({"S":23})", "NUMBER_VALUE cannot be converted to String"},
        {R"({"N":34.56})", "DECIMAL_VALUE cannot be converted to String"},
        {R"({"S":[]})", "Unrecognized collection type class java.lang.String"},
        {R"({"S":{}})", "Start of structure or map found where not expected"},
        {R"({"SS":[1]})", "NUMBER_VALUE cannot be converted to String"},
        {R"({"SS":"a"})", "Unexpected field type"},
        {R"({"L":{}})", "Start of structure or map found where not expected"},
        {R"({"M":1})", "Unexpected field type"},
        {R"({"M":[]})",
         "Unrecognized collection type java.util.Map<java.lang.String, " + attribute_value + ">"},
        {R"({"L":["x"]})", "Unexpected value type in payload"},
        {R"([])", "Unrecognized collection type class " + attribute_value},
        {R"("x")", "Unexpected value type in payload"},
        {R"({"BOOL":23})", "NUMBER_VALUE cannot be converted to Boolean"},
        {R"({"BOOL":"23"})", "Unexpected token received from parser"},
        {R"({"B":1})", "only base-64-encoded strings are convertible to bytes"},
        {R"({"B":"23456"})",
         "Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
        {R"({"B":"!bcd"})", "Invalid Base64 character: '!'"},
        {R"({"B":"=+/="})", "Invalid last non-pad Base64 character dectected"},
        {R"({"M":{"x":{"S":"1"},"x":{"S":"2"}}})", "Duplicate field 'x'"},
        {R"({"S":"1","S":"2"})", "Duplicate field 'S'"},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(error_of(c.value), std::string(kSerialization) + c.text) << c.value;
    }
}

TEST(JsonCodecTest, NestingEndsWhereDynamoDbEndsIt) {
    EXPECT_EQ(error_of(nested(31)), "{\"a\":" + nested(31) + "}");
    const auto too_deep =
        "ValidationException: Nesting Levels have exceeded supported limits: Attributes in the "
        "item have nested levels beyond supported limit";
    EXPECT_EQ(error_of(nested(32)), too_deep);
    EXPECT_EQ(error_of(nested(300)), too_deep);
    EXPECT_EQ(there_and_back("{\":a\":" + nested(32) + "}", MapOf::kExpressionValues), too_deep);
}

TEST(JsonCodecTest, ExpressionValuesAreNamed) {
    EXPECT_EQ(
        there_and_back(R"({":a":{"S":"x"},":b":{"N":"x"}})", MapOf::kExpressionValues),
        "ValidationException: ExpressionAttributeValues contains invalid value: The parameter "
        "cannot be converted to a numeric value: x for key :b"
    );
    EXPECT_EQ(
        there_and_back(R"({":b":{"N":1}})", MapOf::kExpressionValues),
        "SerializationException: NUMBER_VALUE cannot be converted to String"
    );
}

TEST(JsonCodecTest, WideMapsAndSetsAreSortedToo) {
    std::string json = "{";
    std::string expected = "{";
    for (int i = 999; i >= 100; --i) {
        json += "\"k" + std::to_string(i) + "\":{\"N\":\"" + std::to_string(i) + "\"},";
        const int up = 1099 - i;
        expected += "\"k" + std::to_string(up) + "\":{\"N\":\"" + std::to_string(up) + "\"},";
    }
    json.back() = '}';
    expected.back() = '}';
    EXPECT_EQ(there_and_back(json), expected);
}

RC_GTEST_PROP(JsonCodecProperties, JsonCarriesEveryItem, ()) {
    const auto item = encode_item(*samples::item());
    std::string json;
    append_json_map(json, item.view());
    simdjson::dom::parser parser;
    std::string back;
    RC_ASSERT(append_map_of_values(back, parser.parse(json)).has_value());
    RC_ASSERT(back == item.bytes());
}

}  // namespace
}  // namespace gateleg::value

#include "base/json_writer.h"

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(JsonWriterTest, PlacesCommasAtEveryLevel) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("a", 1);
    json.key("b");
    json.begin_array();
    json.string("x");
    json.begin_object();
    json.end_object();
    json.boolean(true);
    json.end_array();
    json.member("c", 0.5);
    json.end_object();
    EXPECT_EQ(out, R"({"a":1,"b":["x",{},true],"c":0.5})");
}

TEST(JsonWriterTest, EscapesWhatJsonAsksFor) {
    std::string out;
    append_json_string(out, std::string_view("\"\\\n\x01\0\x7f\xc3\xa9", 8));
    EXPECT_EQ(out, "\"\\\"\\\\\\n\\u0001\\u0000\x7f\xc3\xa9\"");
}

TEST(JsonWriterTest, NeedsEscapeAgreesWithTheEscaper) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        std::string out;
        append_json_string(out, text);
        EXPECT_EQ(needs_json_escape(text), out != '"' + text + '"') << byte;
    }
}

}  // namespace
}  // namespace gateleg

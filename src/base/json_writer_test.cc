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

TEST(JsonWriterTest, FindsAnEscapeAtEveryPlace) {
    for (std::size_t size = 1; size < 80; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            // 0xff, '!' and '#' are next to what must be escaped.
            for (const char near : {'a', '\xff', '!', '#', ' '}) {
                std::string text(size, near);
                EXPECT_FALSE(needs_json_escape(text));
                text[at] = '\n';
                std::string out;
                append_json_string(out, text);
                EXPECT_TRUE(needs_json_escape(text));
                EXPECT_EQ(
                    out,
                    '"' + std::string(at, near) + "\\n" + std::string(size - at - 1, near) + '"'
                );
            }
        }
    }
}

}  // namespace
}  // namespace gateleg

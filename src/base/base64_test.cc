#include "base/base64.h"

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(Base64Test, EncodesTheVectorsOfTheRfc) {
    EXPECT_EQ(encode_base64(""), "");
    EXPECT_EQ(encode_base64("f"), "Zg==");
    EXPECT_EQ(encode_base64("fo"), "Zm8=");
    EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, DecodesWhatItEncodes) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes.push_back(static_cast<char>(i));
        std::string back;
        ASSERT_TRUE(append_decoded_base64(back, encode_base64(bytes)));
        EXPECT_EQ(back, bytes);
    }
}

TEST(Base64Test, RefusesBadTextAndLeavesTheOutputAlone) {
    for (const auto* text : {"A", "AA", "AA=A", "A===", "====", "AA A", "Zg==Zg==", "Zm9v\n"}) {
        std::string out = "kept";
        EXPECT_FALSE(append_decoded_base64(out, text)) << text;
        EXPECT_EQ(out, "kept");
    }
}

}  // namespace
}  // namespace gateleg

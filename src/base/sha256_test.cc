#include "base/sha256.h"

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(Sha256Test, HashesTheVectorsOfTheStandard) {
    EXPECT_EQ(
        to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    EXPECT_EQ(
        to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

// RFC 4231, cases 1, 2 and 6.
TEST(HmacKeyTest, SignsTheVectorsOfTheRfc) {
    EXPECT_EQ(
        to_hex(HmacKey(std::string(20, '\x0b')).sign("Hi There")),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    );
    EXPECT_EQ(
        to_hex(HmacKey("Jefe").sign("what do ya want for nothing?")),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    EXPECT_EQ(
        to_hex(HmacKey(std::string(131, '\xaa'))
                   .sign("Test Using Larger Than Block-Size Key - Hash Key First")),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    );
}

TEST(Sha256Test, ParsesOnlySixtyFourLowerCaseDigits) {
    const auto digest = sha256("x");
    const auto text = to_hex(digest);
    EXPECT_EQ(parse_hex_digest(text), digest);
    EXPECT_FALSE(parse_hex_digest(""));
    EXPECT_FALSE(parse_hex_digest(text.substr(1)));
    EXPECT_FALSE(parse_hex_digest(text + "0"));
    for (const char bad : {'A', 'F', 'g', ' ', '\0', '-'}) {
        auto changed = text;
        changed[63] = bad;
        EXPECT_FALSE(parse_hex_digest(changed)) << bad;
    }
}

}  // namespace
}  // namespace gateleg

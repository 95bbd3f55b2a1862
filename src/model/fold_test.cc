#include "model/fold.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gateleg::model {
namespace {

TEST(FoldTest, SpellingsThatLookTheSameBecomeOne) {
    // Composed and decomposed, large and small.
    for (const char* text :
         {"\u00C9t\u00E9", "E\u0301te\u0301", "\u00E9t\u00E9", "\u00C9TE\u0301"}) {
        EXPECT_EQ(fold(text), "\u00E9t\u00E9") << text;
    }
    EXPECT_EQ(fold("\u212Bngstr\u00F6m"), "\u00E5ngstr\u00F6m");  // the sign for angstrom
    EXPECT_EQ(fold("\u1112\u1161\u11AB"), "\uD55C");              // a syllable from its parts
    EXPECT_EQ(fold("q\u0323\u0307"), fold("q\u0307\u0323"));      // marks in any order
    EXPECT_EQ(fold("sea\u00A0view\u3000II"), "sea view ii");
    EXPECT_EQ(fold("\u041C\u041E\u0420\u0415"), "\u043C\u043E\u0440\u0435");
}

TEST(FoldTest, WhatOnlyResemblesStaysApart) {
    EXPECT_NE(fold("\uFB01n"), "fin");  // a ligature is another spelling, not the same text
    EXPECT_NE(fold("\u0430"), "a");     // a Cyrillic letter
    EXPECT_NE(fold("e\u0301"), "e");
}

TEST(FoldTest, FoldingAgainChangesNothing) {
    const std::vector<std::string> texts = {
        "",
        "Sea View",
        "\u0130stanbul",
        "I\u0307",
        "\u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2",
        "\u1E9E",
        "A\u030A\u0323"};
    for (const auto& text : texts) {
        EXPECT_EQ(fold(fold(text)), fold(text)) << text;
    }
}

TEST(FoldTest, BytesThatAreNoTextAreLeftAlone) {
    EXPECT_EQ(fold("A\xFF"), "A\xFF");
    EXPECT_EQ(fold("\xC3"), "\xC3");
}

}  // namespace
}  // namespace gateleg::model

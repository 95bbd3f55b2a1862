#include "api/s3/xml.h"

#include <string>

#include <gtest/gtest.h>

namespace gateleg::api::s3 {
namespace {

std::string shape(const XmlNode& node) {
    std::string text = node.name + "(" + node.text;
    for (const auto& child : node.children) {
        text += shape(child);
    }
    return text + ")";
}

std::string parsed(std::string_view text) {
    const auto root = parse_xml(text);
    return root ? shape(*root) : "malformed";
}

TEST(XmlTest, RequestsAreRead) {
    EXPECT_EQ(
        parsed("<?xml version=\"1.0\"?>\n<!-- c --><Delete xmlns=\"http://x/\"><Quiet>true</Quiet>"
               "<Object><Key>a&amp;b&#x41;&#66;</Key></Object></Delete>\n"),
        "Delete(Quiet(true)Object(Key(a&bAB)))"
    );
    EXPECT_EQ(
        parsed("\xef\xbb\xbf<s3:A a='1' b=\"2\"><B/><C>x<![CDATA[<&]]></C></s3:A >"), "A(B()C(x<&))"
    );
}

TEST(XmlTest, OtherTextsAreRefused) {
    for (const auto* bad :
         {"",
          "x",
          "<a>",
          "<a></b>",
          "<a/><b/>",
          "<a>&x;</a>",
          "<a>&#0xD800;</a>",
          "<a b></a>",
          "<a b=c/>",
          "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
          "<a><![CDATA[</a>",
          "<a>\xff</a>",
          "<a><b><c><d><e><f><g><h><i/></h></g></f></e></d></c></b></a>",
          "<a",
          "< a/>",
          "<a>&#xD800;</a>",
          "<a>&#1114112;</a>"}) {
        EXPECT_EQ(parsed(bad), "malformed") << bad;
    }
}

TEST(XmlTest, TextsAreEscapedAndReadBack) {
    const std::string odd = std::string("<&>\"'") + '\x01' + '\r' + '\x1f' + "\xc3\xa9";
    auto text =
        std::move(XmlWriter("A").element("B", odd).number("C", 7).boolean("D", true)).finish();
    EXPECT_NE(text.find("&lt;&amp;&gt;&quot;'&#x1;&#xd;&#x1f;"), std::string::npos) << text;
    const auto root = parse_xml(text);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->text_of("B"), odd);
    EXPECT_EQ(root->text_of("C"), "7");
    EXPECT_EQ(root->find("E"), nullptr);
}

}  // namespace
}  // namespace gateleg::api::s3

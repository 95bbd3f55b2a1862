#include "auth/authorization_header.h"

#include <gtest/gtest.h>

namespace gateleg::auth {
namespace {

TEST(AuthorizationHeaderTest, TakesCommasBlanksOrBothBetweenParameters) {
    for (const auto* text :
         {"AWS4-HMAC-SHA256 Credential=c, SignedHeaders=a;b, Signature=s",
          "AWS4-HMAC-SHA256 Credential=c,SignedHeaders=a;b,Signature=s",
          "AWS4-HMAC-SHA256 Credential=c SignedHeaders=a;b Signature=s",
          "AWS4-HMAC-SHA256\tSignature=s ,\t Credential=c ,, SignedHeaders=a;b,",
          " AWS4-HMAC-SHA256 Credential=c Extra=1 SignedHeaders=a;b Signature=s "}) {
        const auto header = parse_authorization(text);
        ASSERT_TRUE(header) << text;
        EXPECT_EQ(header->credential, "c");
        EXPECT_EQ(header->signed_headers, "a;b");
        EXPECT_EQ(header->signature, "s");
    }
}

TEST(AuthorizationHeaderTest, AForeignSchemeIsNoTokenAtAll) {
    for (const auto* text : {"Bearer abc", "Basic YTpi", "AWS key:signature", ","}) {
        EXPECT_EQ(parse_authorization(text).error().code, ErrorCode::kMissingAuthenticationToken)
            << text;
    }
}

TEST(AuthorizationHeaderTest, RefusesRepeatsAndWordsWithoutEquals) {
    for (const auto* text :
         {"AWS4-HMAC-SHA512 Credential=c",
          "AWS4-HMAC-SHA256 Credential",
          "AWS4-HMAC-SHA256 Signature=a, Signature=b"}) {
        EXPECT_EQ(parse_authorization(text).error().code, ErrorCode::kIncompleteSignature) << text;
    }
}

TEST(AuthorizationHeaderTest, ACredentialHasFiveParts) {
    const auto parts = parse_credential("AKID/20150830/us-east-1/dynamodb/aws4_request");
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->access_key_id, "AKID");
    EXPECT_EQ(parts->scope.date, "20150830");
    EXPECT_EQ(parts->scope.region, "us-east-1");
    EXPECT_EQ(parts->scope.service, "dynamodb");
    EXPECT_EQ(parts->terminator, "aws4_request");
    for (const auto* text :
         {"", "a", "a/b/c/d", "a/b/c/d/", "/b/c/d/e", "a/b//d/e", "a/b/c/d/e/f"}) {
        EXPECT_EQ(parse_credential(text).error().code, ErrorCode::kIncompleteSignature) << text;
    }
}

TEST(AuthorizationHeaderTest, SignedHeadersAreLowerCaseSortedAndUnique) {
    EXPECT_EQ(parse_signed_headers("a;b;b-c")->size(), 3U);
    for (const auto* text :
         {"", ";", "a;", ";a", "b;a", "a;a", "A", "a;B", "a b", "a:", "\xc3\xa9"}) {
        EXPECT_EQ(parse_signed_headers(text).error().code, ErrorCode::kInvalidSignature) << text;
    }
}

TEST(AuthorizationHeaderTest, WhatGoesIntoAMessageIsShortAscii) {
    EXPECT_EQ(printable("a\xff\n\x7f~"), "a???~");
    EXPECT_EQ(printable(std::string(200, 'x')).size(), 131U);
}

}  // namespace
}  // namespace gateleg::auth

#include "api/s3/target.h"

#include <string>

#include <gtest/gtest.h>

#include "auth/s3_error.h"
#include "http/request_parser.h"

namespace gateleg::api::s3 {
namespace {

// "BUCKET|KEY", or the error's code.
std::string target_of(const std::string& target, const std::string& host = "127.0.0.1:9000") {
    const auto text = "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    http::RequestParser parser;
    http::RequestHead head;
    if (parser.feed(text, head) != http::RequestParser::State::kComplete) {
        return "not HTTP";
    }
    const auto read = read_target(head, {.hosts = {"s3.example.com"}, .origins = {}});
    return read ? read->bucket + "|" + read->key : auth::s3_detail(read.error())->code;
}

TEST(TargetTest, PathStyle) {
    EXPECT_EQ(target_of("/"), "|");
    EXPECT_EQ(target_of("/bucket"), "bucket|");
    EXPECT_EQ(target_of("/bucket/"), "bucket|");
    EXPECT_EQ(target_of("/bucket/a/b.jpg?x"), "bucket|a/b.jpg");
    EXPECT_EQ(target_of("//key"), "InvalidURI");
}

TEST(TargetTest, KeysAreDecodedOnceAndNeverPaths) {
    EXPECT_EQ(target_of("/b/../../etc/passwd"), "b|../../etc/passwd");
    EXPECT_EQ(target_of("/b/%2e%2e%2fetc"), "b|../etc");
    EXPECT_EQ(target_of("/b/%252e"), "b|%2e");
    EXPECT_EQ(target_of("/b//a//"), "b|/a//");
    EXPECT_EQ(target_of("/b/a+b%20c"), "b|a+b c");
    EXPECT_EQ(target_of("/b/a%00b"), std::string("b|a\0b", 5));
    EXPECT_EQ(target_of("/b/%C3%A9"), "b|\xc3\xa9");
    EXPECT_EQ(target_of("/b/%ff"), "InvalidURI");
    EXPECT_EQ(target_of("/b/%2"), "InvalidURI");
    EXPECT_EQ(target_of("/b/a?x=%zz"), "InvalidURI");
}

TEST(TargetTest, BucketInTheHostName) {
    EXPECT_EQ(target_of("/a/b", "photos.localhost:9000"), "photos|a/b");
    EXPECT_EQ(target_of("/", "my.photos.LOCALHOST"), "my.photos|");
    EXPECT_EQ(target_of("/a", "photos.s3.example.com"), "photos|a");
    EXPECT_EQ(target_of("/a/b", "localhost:9000"), "a|b");
    EXPECT_EQ(target_of("/a/b", "s3.example.com"), "a|b");
    EXPECT_EQ(target_of("/a/b", "[::1]:9000"), "a|b");
}

TEST(TargetTest, CopySources) {
    const auto source = [](std::string_view text) {
        const auto read = read_copy_source(text);
        return read ? read->first + "|" + read->second : auth::s3_detail(read.error())->code;
    };
    EXPECT_EQ(source("/b/a%2Fc"), "b|a/c");
    EXPECT_EQ(source("b/../x"), "b|../x");
    EXPECT_EQ(source("b/k?versionId=null"), "b|k");
    EXPECT_EQ(source("b/k?versionId=1"), "InvalidArgument");
    for (const auto* bad : {"", "/", "b", "b/", "//k", "b/%zz"}) {
        EXPECT_EQ(source(bad), "InvalidArgument") << bad;
    }
}

TEST(TargetTest, EncodingIsUndoneByDecoding) {
    const std::string all = "a/b c+d%e?f&g=\xc3\xa9\x01~";
    EXPECT_EQ(encode(all, true), "a/b%20c%2Bd%25e%3Ff%26g%3D%C3%A9%01~");
    EXPECT_EQ(decode(encode(all, false)), all);
}

}  // namespace
}  // namespace gateleg::api::s3

#include "objects/presign.h"

#include <gtest/gtest.h>

namespace gateleg::objects {
namespace {

// The example of AWS's documentation of query string authentication.
TEST(PresignTest, ExampleOfTheDocumentation) {
    PresignUrl request;
    request.method = "GET";
    request.base_url = "https://examplebucket.s3.amazonaws.com";
    request.path = "/test.txt";
    request.access_key_id = "AKIAIOSFODNN7EXAMPLE";
    request.secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    request.region = "us-east-1";
    request.now_seconds = 1'369'353'600;
    request.expires_seconds = 86'400;
    const auto url = presign_url(request);
    EXPECT_EQ(
        url,
        "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    );
}

TEST(PresignTest, KeysAreEncodedOnce) {
    EXPECT_EQ(encode_key_path("a b/ü+%.jpg"), "a%20b/%C3%BC%2B%25.jpg");
    EXPECT_EQ(encode_query_text("a/b"), "a%2Fb");
}

TEST(PresignTest, HeadersAreNamedInOrder) {
    PresignUrl request;
    request.method = "PUT";
    request.base_url = "http://127.0.0.1:9000";
    request.path = "/b/k";
    request.headers = {{"content-type", "image/png"}, {"content-length", "5"}};
    request.access_key_id = "A";
    request.secret_access_key = "S";
    request.session_token = "T+";
    request.region = "eu-west-1";
    request.expires_seconds = 60;
    const auto url = presign_url(request);
    EXPECT_NE(
        url.find("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost"), std::string::npos
    );
    EXPECT_NE(url.find("X-Amz-Security-Token=T%2B"), std::string::npos);
}

}  // namespace
}  // namespace gateleg::objects

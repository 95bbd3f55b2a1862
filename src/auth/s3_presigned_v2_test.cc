#include "auth/s3_presigned_v2.h"

#include <string>

#include <gtest/gtest.h>

#include "auth/s3_error.h"

namespace gateleg::auth {
namespace {

// Key and signature of the example in Amazon's description of query string authentication.
constexpr std::string_view kFile =
    "[example]\n"
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\n"
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"
    "gateleg_scope = read\n";
constexpr std::int64_t kExpires = 1175139620;
const std::string kCredentials =
    "?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1175139620&Signature=";
const std::string kSigned = "/photos/puppy.jpg" + kCredentials + "NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D";

class S3PresignedV2Test : public ::testing::Test {
protected:
    Credentials credentials = *Credentials::parse(kFile, "test");
    S3Policy policy;
    SignedRequest request{
        .method = "GET",
        .target = kSigned,
        .headers = {{"Host", "johnsmith.s3.amazonaws.com"}},
        .body = {}};

    void SetUp() override {
        policy.credentials = &credentials;
        policy.host_bucket = "johnsmith";
        policy.now_seconds = kExpires - 60;
    }
    std::string outcome() const {
        const auto verified = verify_s3(request, policy);
        if (verified) {
            return "ok " + verified->identity.scope->text();
        }
        const auto* detail = s3_detail(verified.error());
        return detail == nullptr ? "?" : std::to_string(detail->status) + " " + detail->code;
    }
};

TEST_F(S3PresignedV2Test, AmazonsExampleIsAccepted) {
    EXPECT_EQ(outcome(), "ok read");
}

TEST_F(S3PresignedV2Test, MethodPathBucketAndHeadersAreBound) {
    request.method = "PUT";
    EXPECT_EQ(outcome(), "403 SignatureDoesNotMatch");
    request.method = "GET";
    policy.host_bucket = "other";
    EXPECT_EQ(outcome(), "403 SignatureDoesNotMatch");
    policy.host_bucket = "johnsmith";
    const auto other_path = "/photos/kitten.jpg" + kSigned.substr(kSigned.find('?'));
    request.target = other_path;
    EXPECT_EQ(outcome(), "403 SignatureDoesNotMatch");
    request.target = kSigned;
    request.headers.push_back({"x-amz-copy-source", "/johnsmith/secret"});
    EXPECT_EQ(outcome(), "403 SignatureDoesNotMatch");
}

TEST_F(S3PresignedV2Test, WhatChangesTheMeaningIsBound) {
    for (const auto* const added :
         {"&response-content-type=text%2Fhtml", "&acl", "&uploadId=1", "&tagging"}) {
        const auto target = kSigned + added;
        request.target = target;
        EXPECT_EQ(outcome(), "403 SignatureDoesNotMatch") << added;
    }
}

TEST_F(S3PresignedV2Test, ExpiryCountsToTheSecondWhoeverSigned) {
    policy.now_seconds = kExpires;
    EXPECT_EQ(outcome(), "ok read");
    policy.now_seconds = kExpires + 1;
    EXPECT_EQ(outcome(), "403 AccessDenied");
    policy.credentials = nullptr;
    EXPECT_EQ(outcome(), "403 AccessDenied");
}

TEST_F(S3PresignedV2Test, MissingDoubleAndOddParametersAreRefused) {
    for (const std::string target :
         {"/p?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1175139620",
          "/p?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=x",
          "/p?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=x&Expires=soon",
          "/p?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=x&Expires=-1",
          "/p?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=x&Expires=1175139620&Expires="
          "9999999999"}) {
        request.target = target;
        EXPECT_EQ(outcome(), "403 AccessDenied") << target;
    }
    const std::string stranger = "/p?AWSAccessKeyId=nobody&Signature=x&Expires=1175139620";
    request.target = stranger;
    EXPECT_EQ(outcome(), "403 InvalidAccessKeyId");
}

TEST_F(S3PresignedV2Test, CredentialsStandInOnePlace) {
    request.headers.push_back({"Authorization", "AWS4-HMAC-SHA256 Credential=x"});
    EXPECT_EQ(outcome(), "400 InvalidArgument");
    request.headers.pop_back();
    const auto both = kSigned + "&X-Amz-Signature=00";
    request.target = both;
    EXPECT_EQ(outcome(), "400 InvalidArgument");
}

TEST_F(S3PresignedV2Test, LineFeedsCannotMoveOnePartIntoAnother) {
    const auto target = kSigned + "&content-type=a%0Ab";
    request.target = target;
    EXPECT_EQ(outcome(), "400 InvalidRequest");
}

TEST_F(S3PresignedV2Test, SubresourcesAreSortedAndDecoded) {
    request.target = "/b/k?uploadId=7&response-content-type=text%2Fplain&partNumber=2&other=1";
    EXPECT_EQ(
        string_to_sign_v2(request, "5", ""),
        "GET\n\n\n5\n/b/k?partNumber=2&response-content-type=text/plain&uploadId=7"
    );
}

}  // namespace
}  // namespace gateleg::auth

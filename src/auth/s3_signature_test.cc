#include "auth/s3_signature.h"

#include <string>

#include <gtest/gtest.h>

#include "auth/amz_date.h"
#include "auth/s3_error.h"

namespace gateleg::auth {
namespace {

// The key, times and signatures of the examples in Amazon's description of SigV4 for S3.
constexpr std::string_view kFile =
    "[example]\n"
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\n"
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"
    "gateleg_scope = read\n";
constexpr std::string_view kDate = "20130524T000000Z";
const std::string kScope = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
const std::string kScopeInQuery = "AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request";
constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

class S3SignatureTest : public ::testing::Test {
protected:
    Credentials credentials = *Credentials::parse(kFile, "test");
    std::int64_t now = *parse_amz_date(kDate);

    S3Policy policy() const {
        S3Policy policy;
        policy.credentials = &credentials;
        policy.real_seconds = policy.now_seconds = now;
        return policy;
    }
    std::string outcome(const SignedRequest& request, const S3Policy& with) const {
        const auto verified = verify_s3(request, with);
        if (verified) {
            return "ok " + verified->identity.scope->text();
        }
        const auto* detail = s3_detail(verified.error());
        return detail == nullptr ? "?" : std::to_string(detail->status) + " " + detail->code;
    }
    std::string outcome(const SignedRequest& request) const { return outcome(request, policy()); }
};

SignedRequest get_object(std::string& authorization) {
    authorization = "AWS4-HMAC-SHA256 Credential=" + kScope +
                    ",SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature="
                    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
    return {
        .method = "GET",
        .target = "/test.txt",
        .headers =
            {{"Host", "examplebucket.s3.amazonaws.com"},
             {"Range", "bytes=0-9"},
             {"X-Amz-Content-Sha256", kEmptyHash},
             {"X-Amz-Date", kDate},
             {"Authorization", authorization}},
        .body = {}};
}

std::string presigned_target(const std::string& expires = "86400") {
    return "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + kScopeInQuery +
           "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=" + expires +
           "&X-Amz-SignedHeaders=host&X-Amz-Signature="
           "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
}

SignedRequest presigned_get(const std::string& target) {
    return {
        .method = "GET",
        .target = target,
        .headers = {{"Host", "examplebucket.s3.amazonaws.com"}},
        .body = {}};
}

TEST_F(S3SignatureTest, HeaderOfTheExampleIsAccepted) {
    std::string authorization;
    EXPECT_EQ(outcome(get_object(authorization)), "ok read");
}

TEST_F(S3SignatureTest, HeaderIsRefusedWhenAnythingChanges) {
    std::string authorization;
    const auto good = get_object(authorization);
    auto changed = good;
    changed.method = "PUT";
    EXPECT_EQ(outcome(changed), "403 SignatureDoesNotMatch");
    changed = good;
    changed.target = "/test.txt?acl";
    EXPECT_EQ(outcome(changed), "403 SignatureDoesNotMatch");
    changed = good;
    changed.headers[2].value = "UNSIGNED-PAYLOAD";
    EXPECT_EQ(outcome(changed), "403 SignatureDoesNotMatch");
    changed = good;
    changed.headers.push_back({"x-amz-meta-a", "b"});
    EXPECT_EQ(outcome(changed), "403 AccessDenied");
    changed = good;
    changed.headers.erase(changed.headers.begin() + 1);
    EXPECT_EQ(outcome(changed), "403 SignatureDoesNotMatch");
    changed = good;
    changed.headers.push_back({"X-Amz-Security-Token", "t"});
    EXPECT_EQ(outcome(changed), "403 AccessDenied");
    changed = good;
    changed.headers[2].value = "abc";
    EXPECT_EQ(outcome(changed), "400 InvalidArgument");
    changed = good;
    changed.target = "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256";
    EXPECT_EQ(outcome(changed), "400 InvalidArgument");
    changed = good;
    changed.headers.pop_back();
    EXPECT_EQ(outcome(changed), "403 AccessDenied");
    changed.headers.push_back({"Authorization", "AWS AKIA:abc"});
    EXPECT_EQ(outcome(changed), "400 InvalidRequest");
}

TEST_F(S3SignatureTest, HeaderGoesByTheRealClockBothWays) {
    std::string authorization;
    const auto good = get_object(authorization);
    auto with = policy();
    with.now_seconds += 10'000'000;
    EXPECT_EQ(outcome(good, with), "ok read");
    for (const int skew : {-901, 901}) {
        with.real_seconds = now + skew;
        EXPECT_EQ(outcome(good, with), "403 RequestTimeTooSkewed");
    }
}

TEST_F(S3SignatureTest, ScopeMustBeOurs) {
    std::string authorization;
    const auto good = get_object(authorization);
    auto with = policy();
    with.region = "eu-west-1";
    EXPECT_EQ(outcome(good, with), "400 AuthorizationHeaderMalformed");
    EXPECT_EQ(
        outcome(presigned_get(presigned_target()), with), "400 AuthorizationQueryParametersError"
    );
}

TEST_F(S3SignatureTest, PresignedExampleIsAcceptedUntilItExpires) {
    const auto target = presigned_target();
    auto with = policy();
    EXPECT_EQ(outcome(presigned_get(target), with), "ok read");
    with.now_seconds = now + 86400;
    EXPECT_EQ(outcome(presigned_get(target), with), "ok read");
    with.now_seconds = now + 86401;
    EXPECT_EQ(outcome(presigned_get(target), with), "403 AccessDenied");
    with.now_seconds = now - 901;
    EXPECT_EQ(outcome(presigned_get(target), with), "403 AccessDenied");
}

TEST_F(S3SignatureTest, PresignedIsRefusedWhenAnythingChanges) {
    const auto target = presigned_target();
    for (const auto* method : {"PUT", "HEAD", "DELETE", "POST"}) {
        auto changed = presigned_get(target);
        changed.method = method;
        EXPECT_EQ(outcome(changed), "403 SignatureDoesNotMatch") << method;
    }
    EXPECT_EQ(outcome(presigned_get(target + "&a=b")), "403 SignatureDoesNotMatch");
    EXPECT_EQ(
        outcome(presigned_get(target + "&X-Amz-Signature=0")),
        "400 AuthorizationQueryParametersError"
    );
    auto changed = presigned_get(target);
    changed.headers.push_back({"x-amz-tagging", "a=b"});
    EXPECT_EQ(outcome(changed), "403 AccessDenied");
    changed.headers[1] = {"x-amz-content-sha256", kEmptyHash};
    EXPECT_EQ(outcome(changed), "403 AccessDenied");
    for (const auto* expires : {"0", "-1", "604801", "", "x", "99999999999999999999"}) {
        EXPECT_EQ(
            outcome(presigned_get(presigned_target(expires))),
            "400 AuthorizationQueryParametersError"
        ) << expires;
    }
}

TEST_F(S3SignatureTest, AnyKeyPassesWithoutCredentialsButForOurs) {
    auto open = policy();
    open.credentials = nullptr;
    std::string authorization;
    auto request = get_object(authorization);
    request.method = "PUT";
    EXPECT_EQ(outcome(request, open), "ok full");
    EXPECT_EQ(outcome(presigned_get(presigned_target("60")), open), "ok full");
    open.now_seconds += 61;
    EXPECT_EQ(outcome(presigned_get(presigned_target("60")), open), "403 AccessDenied");
    open.now_seconds = now;
    open.own = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
    EXPECT_EQ(outcome(request, open), "403 SignatureDoesNotMatch");
    EXPECT_EQ(outcome(presigned_get(presigned_target("60")), open), "403 SignatureDoesNotMatch");
    EXPECT_EQ(outcome(presigned_get(presigned_target()), open), "ok full");
    EXPECT_EQ(outcome(presigned_get("/test.txt"), open), "403 AccessDenied");
    open.allow_anonymous = true;
    EXPECT_EQ(outcome(presigned_get("/test.txt"), open), "ok full");
}

TEST_F(S3SignatureTest, UnknownKeyIsNamed) {
    const auto others = Credentials::parse(
        "[x]\naws_access_key_id = AKIAX\naws_secret_access_key = xxxxxxxxxxxxxxxxxxxx\n", "test"
    );
    ASSERT_TRUE(others) << others.error().message;
    auto with = policy();
    with.credentials = &*others;
    EXPECT_EQ(outcome(presigned_get(presigned_target()), with), "403 InvalidAccessKeyId");
}

}  // namespace
}  // namespace gateleg::auth

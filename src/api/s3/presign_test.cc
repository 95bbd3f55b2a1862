// What objects/presign.h signs, auth/s3_signature.h verifies.

#include "objects/presign.h"

#include <string>

#include <gtest/gtest.h>

#include "auth/s3_error.h"
#include "auth/s3_signature.h"

namespace gateleg::api::s3 {
namespace {

constexpr std::int64_t kNow = 1'750'000'000;

objects::PresignUrl put_request() {
    objects::PresignUrl request;
    request.method = "PUT";
    request.base_url = "http://127.0.0.1:9000";
    request.path = "/figureforge-prod/" + objects::encode_key_path("users/ü/a b+c&d/..//x.jpg");
    request.headers = {{"content-type", "image/jpeg"}};
    request.access_key_id = "GATELEGOWN";
    request.secret_access_key = "own secret";
    request.region = "us-east-1";
    request.now_seconds = kNow;
    request.expires_seconds = 600;
    return request;
}

std::string verified(
    const std::string& url, std::string_view method, std::string_view type, std::int64_t now
) {
    const auto target = url.substr(std::string("http://127.0.0.1:9000").size());
    auth::S3Policy policy;
    policy.own = {"GATELEGOWN", "own secret"};
    policy.now_seconds = now;
    const auto result = auth::verify_s3(
        {.method = method,
         .target = target,
         .headers = {{"Host", "127.0.0.1:9000"}, {"Content-Type", type}},
         .body = {}},
        policy
    );
    return result ? "ok" : auth::s3_detail(result.error())->code;
}

TEST(PresignTest, OwnUrlsAreVerifiedInEveryPart) {
    const auto url = objects::presign_url(put_request());
    EXPECT_EQ(verified(url, "PUT", "image/jpeg", kNow), "ok") << url;
    EXPECT_EQ(verified(url, "PUT", "image/jpeg", kNow + 600), "ok");
    EXPECT_EQ(verified(url, "PUT", "image/jpeg", kNow + 601), "AccessDenied");
    EXPECT_EQ(verified(url, "GET", "image/jpeg", kNow), "SignatureDoesNotMatch");
    EXPECT_EQ(verified(url, "PUT", "text/html", kNow), "SignatureDoesNotMatch");
}

}  // namespace
}  // namespace gateleg::api::s3

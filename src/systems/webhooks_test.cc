#include "systems/webhooks.h"

#include <gtest/gtest.h>

#include "value/json_tree.h"

namespace gateleg::systems {
namespace {

constexpr std::int64_t kNow = 1'740'824'430;

std::string problem(
    std::string_view secrets, std::string_view signature, std::string_view body, std::int64_t now
) {
    const auto found = find_signature_problem(secrets, signature, body, {now});
    return found ? found->code : "";
}

TEST(WebhookTest, SignaturesAreOverTimeAndBody) {
    const auto good = sign_webhook("secret", "{}", kNow);
    EXPECT_EQ(problem("secret", good, "{}", kNow), "");
    EXPECT_EQ(problem("secret", good, "{} ", kNow), "SignatureInvalid");
    EXPECT_EQ(problem("other", good, "{}", kNow), "SignatureInvalid");
    const auto later = "t=" + std::to_string(kNow + 1) + good.substr(good.find(','));
    EXPECT_EQ(problem("secret", later, "{}", kNow), "SignatureInvalid");
    for (const auto* bad : {"", "t=", "v1=00", "t=1", "t=x,v1=00", ",,,", "t=1,v1=zz"}) {
        EXPECT_EQ(problem("secret", bad, "{}", kNow), "SignatureInvalid") << bad;
    }
}

TEST(WebhookTest, AFewMinutesAreTolerated) {
    const auto signature = sign_webhook("secret", "{}", kNow);
    EXPECT_EQ(problem("secret", signature, "{}", kNow + 300), "");
    EXPECT_EQ(problem("secret", signature, "{}", kNow - 300), "");
    EXPECT_EQ(problem("secret", signature, "{}", kNow + 301), "SignatureExpired");
    EXPECT_EQ(problem("secret", signature, "{}", kNow - 301), "SignatureExpired");
}

TEST(WebhookTest, SeveralSecretsAndSignaturesDuringAChange) {
    const auto signature = sign_webhook("new", "{}", kNow);
    EXPECT_EQ(problem("old, new", signature, "{}", kNow), "");
    const auto both =
        sign_webhook("gone", "{}", kNow) + ",v0=1," + signature.substr(signature.find("v1"));
    EXPECT_EQ(problem("new", both, "{}", kNow), "");
    EXPECT_EQ(problem(",", sign_webhook("", "{}", kNow), "{}", kNow), "SignatureInvalid");
}

TEST(WebhookTest, BodiesAreReadByPath) {
    const WebhookBody body{
        *value::parse_json(R"({"a":{"b":"x","n":7,"t":true,"z":null},"l":[{"x":"y"}]})")};
    EXPECT_EQ(body.text("l.0.x"), "y");
    EXPECT_EQ(body.find("l.1"), nullptr);
    EXPECT_EQ(body.text("a.b"), "x");
    EXPECT_EQ(body.integer("a.n"), 7);
    EXPECT_TRUE(body.flag("a.t"));
    EXPECT_EQ(body.find("a.z"), nullptr);
    EXPECT_EQ(body.find("a.b.c"), nullptr);
    EXPECT_EQ(body.text("a.n"), "");
}

TEST(WebhookTest, OutsideIdsAreKeyParts) {
    EXPECT_TRUE(is_outside_id("sub_1A:b.c-D"));
    for (const auto* bad : {"", "a#b", "a b", "a/b"}) {
        EXPECT_FALSE(is_outside_id(bad)) << bad;
    }
    EXPECT_FALSE(is_outside_id(std::string(129, 'a')));
}

}  // namespace
}  // namespace gateleg::systems

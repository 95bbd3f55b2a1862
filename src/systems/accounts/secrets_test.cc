#include "systems/accounts/secrets.h"

#include <gtest/gtest.h>

#include "systems/accounts/rate_limiter.h"

namespace gateleg::systems {
namespace {

TEST(SecretsTest, SessionTokensGoThereAndBack) {
    const SessionToken token{"ff", "01JN00000000000000000000A1", random_text(32)};
    const auto text = render_session_token(token);
    EXPECT_EQ(text.find('.'), std::string::npos);  // or it would pass for a JSON Web Token
    const auto parsed = parse_session_token(text);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->prefix, "ff");
    EXPECT_EQ(parsed->session_id, token.session_id);
    EXPECT_EQ(parsed->secret, token.secret);
    EXPECT_TRUE(is_secret_of(parsed->secret, hash_secret(token.secret)));
    EXPECT_FALSE(is_secret_of(parsed->secret + "x", hash_secret(token.secret)));
    EXPECT_FALSE(is_secret_of(parsed->secret, "no hash"));
    for (const auto& bad :
         {std::string(),
          std::string("ff_"),
          std::string("ff_short"),
          std::string(201, 'f'),
          "ff-" + text.substr(3)}) {
        EXPECT_FALSE(parse_session_token(bad)) << bad;
    }
}

TEST(SecretsTest, TheTokenOfARequest) {
    model::RequestFacts request;
    EXPECT_EQ(token_of(request), "");
    request.headers = {{"cookie", "a=b; gateleg_session=ff_1; c=d"}};
    EXPECT_EQ(token_of(request), "ff_1");
    request.headers.emplace_back("authorization", "Bearer ga_2");
    EXPECT_EQ(token_of(request), "ga_2");
}

TEST(SecretsTest, MailedTokensSayWhatBecameOfThem) {
    const MailedTokens tokens("a secret");
    const auto made = tokens.make("verify", 1000);
    using State = MailedTokens::State;
    EXPECT_EQ(made.hash, hash_secret(made.text));
    EXPECT_EQ(tokens.check("verify", made.text, 999), State::kLive);
    EXPECT_EQ(tokens.check("verify", made.text, 1000), State::kExpired);
    EXPECT_EQ(tokens.check("reset", made.text, 999), State::kUnknown);
    EXPECT_EQ(MailedTokens("another").check("verify", made.text, 999), State::kUnknown);
    auto changed = made.text;
    changed[5] = changed[5] == 'A' ? 'B' : 'A';
    EXPECT_EQ(tokens.check("verify", changed, 999), State::kUnknown);
    EXPECT_EQ(tokens.check("verify", "", 999), State::kUnknown);
}

TEST(SecretsTest, RateLimitsRefill) {
    SettableClock clock;
    clock.freeze_at(0);
    RateLimiter limits(clock);
    const RateLimiter::Limit limit{.what = "x", .burst = 2, .per_second = 1};
    EXPECT_TRUE(limits.allow(limit, "a"));
    EXPECT_TRUE(limits.allow(limit, "a"));
    EXPECT_FALSE(limits.allow(limit, "a"));
    EXPECT_TRUE(limits.allow(limit, "b"));
    clock.advance(1000);
    EXPECT_TRUE(limits.allow(limit, "a"));
    EXPECT_FALSE(limits.allow(limit, "a"));
}

}  // namespace
}  // namespace gateleg::systems

#include "api/console/sessions.h"

#include <gtest/gtest.h>

namespace gateleg::api::console {
namespace {

class SessionsTest : public testing::Test {
protected:
    SessionsTest() { clock.freeze_at(1'000'000); }

    SettableClock clock;
    Sessions sessions{clock, false};
};

TEST_F(SessionsTest, ALinkWorksOnce) {
    const auto token = sessions.make_link();
    EXPECT_FALSE(sessions.use_link(token + "x"));
    EXPECT_FALSE(sessions.use_link(""));
    EXPECT_TRUE(sessions.use_link(token));
    EXPECT_FALSE(sessions.use_link(token));
}

TEST_F(SessionsTest, ALinkEnds) {
    const auto token = sessions.make_link();
    clock.advance(kLinkMillis);
    EXPECT_FALSE(sessions.use_link(token));
}

TEST_F(SessionsTest, ManyLinksPushOutTheOldest) {
    const auto first = sessions.make_link();
    std::string last;
    for (int i = 0; i < 64; ++i) {
        clock.advance(1);
        last = sessions.make_link();
    }
    EXPECT_FALSE(sessions.use_link(first));
    EXPECT_TRUE(sessions.use_link(last));
}

TEST_F(SessionsTest, ASessionIsFoundByItsCookieUntilItEnds) {
    const auto opened = sessions.open("me");
    EXPECT_EQ(sessions.find(opened.cookie), opened.session);
    EXPECT_EQ(sessions.find(""), nullptr);
    EXPECT_EQ(sessions.find(opened.session->csrf), nullptr);
    EXPECT_FALSE(opened.session->read_only);
    clock.advance(kSessionMillis - 1);
    EXPECT_NE(sessions.find(opened.cookie), nullptr);
    clock.advance(1);
    EXPECT_EQ(sessions.find(opened.cookie), nullptr);
}

TEST_F(SessionsTest, AClosedSessionIsGone) {
    const auto opened = sessions.open("me");
    const auto other = sessions.open("you");
    sessions.close(opened.cookie);
    EXPECT_EQ(sessions.find(opened.cookie), nullptr);
    EXPECT_NE(sessions.find(other.cookie), nullptr);
}

TEST_F(SessionsTest, OnARemoteStoreSessionsOnlyReadAtFirst) {
    Sessions careful(clock, true);
    EXPECT_TRUE(careful.open("me").session->read_only);
}

}  // namespace
}  // namespace gateleg::api::console

#include "systems/membership/access.h"

#include <gtest/gtest.h>

namespace gateleg::systems::membership {
namespace {

constexpr std::int64_t kNow = 1'740'000'000;

Subscription subscription(
    std::string status, std::int64_t end = kNow + 1000, std::string tier = "JOURNEYMAN"
) {
    Subscription made;
    made.id = "sub_" + status + std::to_string(end) + tier;
    made.status = std::move(status);
    made.plan_tier = std::move(tier);
    made.end = end;
    return made;
}

std::string shown(const Member& member, const Catalog& catalog = {}, std::int64_t now = kNow) {
    const auto access = find_access(member, catalog, now * 1000);
    return std::string(tier_name(access.tier)) + " " + access.source;
}

TEST(AccessTest, FounderThenSubscriptionThenProfileThenFree) {
    for (int sources = 0; sources < 16; ++sources) {
        Member member{.user = "u1"};
        member.profile.exists = true;
        if ((sources & 1) != 0) {
            member.passes.push_back({"FOUNDING_MEMBER"});
        }
        if ((sources & 2) != 0) {
            member.passes.push_back({"GUILD_BUILDER"});
        }
        if ((sources & 4) != 0) {
            member.subscriptions.push_back(subscription("active"));
        }
        if ((sources & 8) != 0) {
            member.profile.tier = "INITIATE";
        }
        const std::string expected = (sources & 2) != 0   ? "GUILDMASTER founder"
                                     : (sources & 1) != 0 ? "SAGE founder"
                                     : (sources & 4) != 0 ? "JOURNEYMAN subscription"
                                     : (sources & 8) != 0 ? "INITIATE profile"
                                                          : "free default";
        EXPECT_EQ(shown(member), expected) << sources;
    }
}

TEST(AccessTest, StatesThatGrantDoSoUntilThePeriodEnds) {
    for (const std::string status : {"active", "trialing", "canceled", "past_due"}) {
        Member member{.user = "u1", .subscriptions = {subscription(status)}};
        EXPECT_EQ(shown(member, {}, kNow + 999), "JOURNEYMAN subscription") << status;
        EXPECT_EQ(shown(member, {}, kNow + 1000), "free default") << status;
    }
    for (const std::string status : {"incomplete", "incomplete_expired", "unpaid", "paused"}) {
        EXPECT_EQ(shown({.user = "u1", .subscriptions = {subscription(status)}}), "free default");
    }
}

TEST(AccessTest, TheCatalogueCanGiveTime) {
    Catalog catalog;
    catalog.dunning_seconds = 100;
    catalog.slack_seconds = 10;
    Member late{.user = "u1", .subscriptions = {subscription("past_due")}};
    EXPECT_EQ(shown(late, catalog, kNow + 1099), "JOURNEYMAN subscription");
    EXPECT_EQ(shown(late, catalog, kNow + 1100), "free default");
    Member renewing{.user = "u1", .subscriptions = {subscription("active")}};
    EXPECT_EQ(shown(renewing, catalog, kNow + 1009), "JOURNEYMAN subscription");
    EXPECT_EQ(shown(renewing, catalog, kNow + 1010), "free default");
}

TEST(AccessTest, OfSeveralTheHighestThenTheLongest) {
    Member member{.user = "u1"};
    member.subscriptions = {
        subscription("active", kNow + 5000, "INITIATE"),
        subscription("active", kNow + 100, "SAGE"),
        subscription("active", kNow + 200, "SAGE")};
    const auto access = find_access(member, {}, kNow * 1000);
    EXPECT_EQ(access.tier, Tier::kSage);
    EXPECT_EQ(access.until, kNow + 200);
}

TEST(AccessTest, APassWinsUnlessThePolicySaysHighest) {
    Member member{.user = "u1", .passes = {{"FOUNDING_MEMBER"}}};
    member.subscriptions = {subscription("active", kNow + 100, "GUILDMASTER")};
    EXPECT_EQ(shown(member), "SAGE founder");
    EXPECT_FALSE(find_access(member, {}, kNow * 1000).warning.empty());
    Catalog catalog;
    catalog.highest_wins = true;
    EXPECT_EQ(shown(member, catalog), "GUILDMASTER subscription");
    member.passes[0].revoked = true;
    EXPECT_EQ(shown(member), "GUILDMASTER subscription");
}

TEST(AccessTest, ADerivedTierIsNoSource) {
    Member member{.user = "u1"};
    member.profile = {.exists = true, .tier = "SAGE", .tier_source = "derived"};
    EXPECT_EQ(shown(member), "free default");
    member.profile.manual_tier = "INITIATE";
    EXPECT_EQ(shown(member), "INITIATE profile");
    member.profile.deleted = true;
    EXPECT_EQ(shown(member), "free default");
}

}  // namespace
}  // namespace gateleg::systems::membership

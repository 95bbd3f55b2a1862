// Moderation with its C++, without HTTP: what the store looks like afterwards.

#include <atomic>

#include <gmock/gmock.h>

#include "systems/moderation/install.h"
#include "systems/services.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

constexpr std::int64_t kHour = 60LL * 60 * 1000;

struct ModerationWorld : World {
    ModerationWorld()
        : World("moderation"),
          services{
              .clock = clock,
              .real_clock = clock,
              .secret = "s",
              .runtimes = {{"moderation", runtime.get()}}} {
        systems::install_moderation(*runtime, services);
    }

    // The id of the new item.
    std::string submit(const std::string& who, const std::string& content) {
        const auto reply =
            run("submit",
                R"({"userId":")" + who + R"(","contentId":")" + content + R"(","type":"image"})",
                user(who));
        EXPECT_TRUE(reply) << reply.error().message;
        return reply ? text_of(std::get<value::Map>(reply->body->data), "moderationId") : "";
    }
    std::string decide(const std::string& id, const Caller& by) {
        return outcome("decide", R"({"moderationId":")" + id + R"(","status":"approved"})", by);
    }
    std::size_t count(const std::string& pattern, const std::string& arguments) {
        const auto page = query(pattern, arguments, moderator, 100);
        EXPECT_TRUE(page) << page.error().message;
        return page ? page->items.size() : 0;
    }

    Caller moderator = user("m1", {"moderator"});
    systems::Services services;
};

TEST(ModerationTest, ListsByDayAndThroughIndexes) {
    ModerationWorld world;
    const auto first = world.submit("u1", "c1");
    world.submit("u1", "c2");  // the same millisecond: the next one is taken
    world.clock.advance(24 * kHour);
    world.submit("u1", "c3");
    const std::string again = R"({"userId":"u1","contentId":"c1","type":"image"})";
    EXPECT_EQ(world.outcome("submit", again, user("u1")), "AlreadyPending");
    EXPECT_EQ(world.count("byDay", R"({"from":1740824430400,"to":1740999999999})"), 3U);
    EXPECT_EQ(world.count("byStatus", R"({"status":"pending"})"), 3U);
    EXPECT_EQ(
        world.query("byStatus", R"({"status":"pending"})", user("u1")).error().code, "Forbidden"
    );
    EXPECT_EQ(world.decide(first, user("u1", {"moderator"})), "SelfReview");
    EXPECT_EQ(world.decide(first, world.moderator), "ok");
    EXPECT_EQ(world.decide(first, world.moderator), "unchanged");
    EXPECT_EQ(world.decide(first, user("m2", {"moderator"})), "AlreadyActioned");
    EXPECT_EQ(world.count("byStatus", R"({"status":"pending"})"), 2U);
    EXPECT_EQ(world.count("queue", "{}"), 2U);
    const std::string by_id = R"({"moderationId":")" + first + R"("})";
    const auto item = world.get("item", by_id, user("u1"));
    ASSERT_TRUE(item) << item.error().message;
    EXPECT_EQ(to_json(item->item.at("status")), "\"approved\"");
    EXPECT_EQ(world.get("item", by_id, user("u7")).error().code, "ModerationNotFound");
    EXPECT_EQ(world.outcome("submit", again, user("u1")), "ok");
    EXPECT_EQ(world.outcome("reopen", by_id, world.moderator), "AlreadyPending");
    EXPECT_EQ(world.fsck(), "");
}

TEST(ModerationTest, ItemsKeepTheShardOfTheirTime) {
    ModerationWorld world;
    const auto admin = user("a1", {"admin"});
    const auto submit_some = [&](const std::string& name) {
        for (int at = 0; at < 20; ++at) {
            world.submit(name, name + std::to_string(at));
        }
    };
    submit_some("before");
    EXPECT_THAT(
        world.raw("moderation#before", "media#1740824430400"),
        testing::HasSubstr(R"("dayKey":"20250301")")
    );
    world.clock.advance(kHour);
    EXPECT_EQ(world.outcome("setShards", R"({"count":4})", admin), "ok");
    EXPECT_EQ(world.outcome("setShards", R"({"count":4})", admin), "unchanged");
    submit_some("after");
    EXPECT_THAT(
        world.raw("moderation#after", "media#1740828030400"),
        testing::ContainsRegex(R"("dayKey":"20250301#[0-3]")")
    );
    world.clock.advance(kHour);
    EXPECT_EQ(world.outcome("setShards", R"({"count":1})", admin), "ok");
    submit_some("last");
    EXPECT_EQ(world.count("byDay", R"({"from":1740787200000,"to":1740873599999})"), 60U);
    // A decision leaves the day where it is.
    const auto page = world.query("history", R"({"userId":"after"})", world.moderator);
    ASSERT_TRUE(page);
    for (const auto& item : page->items) {
        EXPECT_EQ(world.decide(text_of(item, "moderationId"), world.moderator), "ok");
    }
    EXPECT_EQ(world.count("byDay", R"({"from":1740787200000,"to":1740873599999})"), 60U);
    EXPECT_EQ(world.fsck(), "");
}

TEST(ModerationTest, OneOfManyDecisionsCounts) {
    ModerationWorld world;
    const auto id = world.submit("u1", "c1");
    std::atomic<int> done = 0;
    std::atomic<int> late = 0;
    at_once(16, [&](int at) {
        const auto outcome = world.decide(id, user("m" + std::to_string(at), {"moderator"}));
        done += outcome == "ok" ? 1 : 0;
        late += outcome == "AlreadyActioned" ? 1 : 0;
    });
    EXPECT_EQ(done, 1);
    EXPECT_EQ(late, 15);
    EXPECT_EQ(world.count("events", R"({"moderationId":")" + id + R"("})"), 2U);
    EXPECT_EQ(world.fsck(), "");
}

}  // namespace
}  // namespace gateleg::model

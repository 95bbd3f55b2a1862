// A clock that jumps, and what is deleted by it meanwhile.

#include "engine/clock_guard.h"

#include <gtest/gtest.h>

#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

constexpr std::int64_t kMinute = 60 * 1000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kNoon = TestEngine::kStartSeconds * 1000;

class ClockGuardTest : public testing::Test {
protected:
    // Time passes by both clocks.
    void pass(std::int64_t millis) {
        up += millis;
        wall += millis;
    }
    ClockGuard make(std::optional<ClockAnchor> last = std::nullopt, std::string boot = "first") {
        return {Uptime{[this] { return up; }, std::move(boot)}, std::move(last)};
    }

    std::int64_t up = 1'000'000;
    std::int64_t wall = kNoon;
};

TEST_F(ClockGuardTest, ClocksThatAgreeAreBelieved) {
    auto guard = make();
    for (int hour = 0; hour < 100; ++hour) {
        EXPECT_TRUE(guard.look(wall));
        pass(kHour);
        wall += kMinute;  // corrections
    }
    EXPECT_TRUE(guard.look(wall));
    wall += 14 * kMinute;
    EXPECT_TRUE(guard.look(wall));
    wall -= 14 * kMinute;
    EXPECT_TRUE(guard.look(wall));
}

TEST_F(ClockGuardTest, JumpAheadIsNotBelievedForAnHour) {
    auto guard = make();
    EXPECT_TRUE(guard.look(wall));
    wall += kDay;
    EXPECT_FALSE(guard.look(wall));
    EXPECT_FALSE(guard.is_trusted());
    EXPECT_LT(guard.anchor().wall_millis, wall);
    pass(59 * kMinute);
    EXPECT_FALSE(guard.look(wall));
    // A second jump starts the hour again.
    wall += kDay;
    EXPECT_FALSE(guard.look(wall));
    pass(59 * kMinute);
    EXPECT_FALSE(guard.look(wall));
    pass(2 * kMinute);
    EXPECT_TRUE(guard.look(wall));
    EXPECT_TRUE(guard.is_trusted());
    EXPECT_EQ(guard.anchor().wall_millis, wall);
}

TEST_F(ClockGuardTest, JumpThatIsTakenBackIsForgotten) {
    auto guard = make();
    EXPECT_TRUE(guard.look(wall));
    wall += kDay;
    EXPECT_FALSE(guard.look(wall));
    pass(kMinute);
    wall -= kDay;
    EXPECT_TRUE(guard.look(wall));
}

TEST_F(ClockGuardTest, ClockThatGoesBackAndComesAgainIsBelieved) {
    auto guard = make();
    EXPECT_TRUE(guard.look(wall));
    wall -= kDay;
    EXPECT_TRUE(guard.look(wall));
    pass(kMinute);
    EXPECT_TRUE(guard.look(wall));
    wall += kDay;
    EXPECT_TRUE(guard.look(wall)) << "it is where it was";
    wall -= kDay;
    EXPECT_TRUE(guard.look(wall));
    pass(2 * kHour);
    EXPECT_TRUE(guard.look(wall));
    wall += kDay;
    EXPECT_FALSE(guard.look(wall)) << "the earlier time had been believed by then";
}

TEST_F(ClockGuardTest, RestartDoesNotMakeAJumpTrue) {
    auto first = make();
    EXPECT_TRUE(first.look(wall));
    const auto saved = decode_anchor(encode_anchor(first.anchor()));
    ASSERT_TRUE(saved);
    pass(30 * kDay);
    auto same_boot = make(saved);
    EXPECT_TRUE(same_boot.look(wall)) << "the machine was up, and says so";
    wall += kDay;
    auto jumped = make(saved);
    EXPECT_FALSE(jumped.look(wall));
    EXPECT_FALSE(jumped.look(wall));
}

TEST_F(ClockGuardTest, AfterARebootAWeekIsBelievedAndMoreIsNot) {
    auto first = make();
    EXPECT_TRUE(first.look(wall));
    const auto saved = first.anchor();
    up = 5'000;
    wall += 6 * kDay;
    EXPECT_TRUE(make(saved, "second").look(wall));
    EXPECT_TRUE(make(saved, "").look(wall));
    wall += 3650 * kDay;
    EXPECT_FALSE(make(saved, "second").look(wall));
    EXPECT_FALSE(make(saved, "").look(wall));
    EXPECT_TRUE(make(std::nullopt, "second").look(wall)) << "the operator says so";
}

TEST(ClockAnchorTest, BytesThatAreNoneAreRefused) {
    EXPECT_FALSE(decode_anchor(""));
    EXPECT_FALSE(decode_anchor("fifteen bytes.."));
    EXPECT_TRUE(decode_anchor("sixteen bytes..."));
}

TEST(ClockGuardEngineTest, NothingExpiresByAClockThatJumped) {
    const auto store = storage::Store::open({.in_memory = true});
    SettableClock clock;
    clock.freeze_at(kNoon);
    std::atomic<std::int64_t> up{1'000'000};
    EngineOptions options{.uptime = Uptime{[&] { return up.load(); }, "boot"}};
    auto engine = std::make_unique<Engine>(*store, clock, options);
    const auto put = [&](const std::string& key, std::int64_t until) {
        must(call(
            static_cast<dynamo::Dynamo&>(*engine),
            &dynamo::Dynamo::put_item,
            dynamo::PutItemRequest{
                {.table = "t"},
                {},
                item(
                    R"({"pk":{"S":")" + key + R"("},"until":{"N":")" + std::to_string(until) +
                    R"("}})"
                )}
        ));
    };
    const auto is_there = [&](const std::string& key) {
        const auto reply = must(call(
            static_cast<dynamo::Dynamo&>(*engine),
            &dynamo::Dynamo::get_item,
            dynamo::GetItemRequest{
                .table = "t",
                .key = item(R"({"pk":{"S":")" + key + R"("}})"),
                .consistent_read = true}
        ));
        return reply.item.has_value();
    };
    const auto goes = [&](const std::string& key) {
        return happens_within(std::chrono::seconds(30), [&] { return !is_there(key); });
    };
    must(call(
        static_cast<dynamo::Dynamo&>(*engine),
        &dynamo::Dynamo::create_table,
        new_table("t", {"pk"}, {"pk:S"})
    ));
    must(call(
        static_cast<dynamo::Dynamo&>(*engine),
        &dynamo::Dynamo::update_time_to_live,
        dynamo::UpdateTimeToLiveRequest{
            .table = "t", .specification = {.attribute = "until", .enabled = true}}
    ));
    const auto now = TestEngine::kStartSeconds;
    put("due", now - 10);
    put("tomorrow", now + 24 * 3600 - 60);
    EXPECT_TRUE(goes("due"));

    clock.advance(kDay);
    EXPECT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return !engine->figures().clock_trusted;
    }));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_TRUE(is_there("tomorrow"));

    // Nor after a restart, until the operator says that the clock is right.
    engine.reset();
    engine = std::make_unique<Engine>(*store, clock, options);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_TRUE(is_there("tomorrow"));
    engine.reset();
    options.trust_clock = true;
    engine = std::make_unique<Engine>(*store, clock, options);
    EXPECT_TRUE(goes("tomorrow"));
    engine.reset();
}

}  // namespace
}  // namespace gateleg::engine

#include "model/shards.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateleg::model {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

TEST(ShardScheduleTest, ThereIsOneShardUntilSomebodyWantsMore) {
    const ShardSchedule schedule;
    EXPECT_EQ(schedule.count_at(0), 1);
    EXPECT_EQ(schedule.shard_of("a", 5), "");
    EXPECT_THAT(schedule.shards_between(0, kHour), ElementsAre(""));
}

TEST(ShardScheduleTest, AnItemKeepsTheShardOfItsTime) {
    const ShardSchedule schedule({{10 * kHour, 8}, {5 * kHour, 4}, {20 * kHour, 1}});
    EXPECT_EQ(schedule.count_at(5 * kHour - 1), 1);
    EXPECT_EQ(schedule.count_at(5 * kHour), 4);
    EXPECT_EQ(schedule.count_at(10 * kHour), 8);
    EXPECT_EQ(schedule.count_at(21 * kHour), 1);
    std::set<std::string> used;
    for (int id = 0; id < 200; ++id) {
        used.insert(schedule.shard_of("item-" + std::to_string(id), 6 * kHour));
    }
    EXPECT_THAT(used, ElementsAre("#0", "#1", "#2", "#3"));
    EXPECT_EQ(schedule.shard_of("item-1", 20 * kHour), "");
}

TEST(ShardScheduleTest, AReaderAsksEveryShardThatWasInUse) {
    const ShardSchedule schedule({{5 * kHour, 2}, {10 * kHour, 4}, {20 * kHour, 1}});
    EXPECT_THAT(schedule.shards_between(0, kHour), ElementsAre(""));
    EXPECT_THAT(schedule.shards_between(0, 6 * kHour), ElementsAre("", "#0", "#1"));
    EXPECT_THAT(schedule.shards_between(6 * kHour, 7 * kHour), ElementsAre("#0", "#1"));
    EXPECT_THAT(schedule.shards_between(6 * kHour, 12 * kHour), SizeIs(4));
    EXPECT_THAT(schedule.shards_between(12 * kHour, 30 * kHour), SizeIs(5));
    EXPECT_THAT(schedule.shards_between(21 * kHour, 30 * kHour), ElementsAre(""));
}

TEST(ShardScheduleTest, ACountHoldsAMinuteLongerForReaders) {
    const ShardSchedule schedule({{5 * kHour, 2}, {10 * kHour, 1}});
    EXPECT_THAT(schedule.shards_between(10 * kHour, 11 * kHour), ElementsAre("", "#0", "#1"));
    EXPECT_THAT(schedule.shards_between(10 * kHour + 2 * kMinute, 11 * kHour), ElementsAre(""));
}

}  // namespace
}  // namespace gateleg::model

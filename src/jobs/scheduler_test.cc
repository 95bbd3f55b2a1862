#include "jobs/scheduler.h"

#include "jobs/test_world.h"

namespace gateleg::jobs {
namespace {

SchedulerOptions options(const std::string& owner, std::int64_t page_items = 200) {
    SchedulerOptions options;
    options.owner = owner;
    options.page_items = page_items;
    return options;
}

void register_parcels(World& world, int count) {
    for (int at = 0; at < count; ++at) {
        ASSERT_EQ(world.run("register", R"({"id":"q)" + std::to_string(at) + R"("})"), "ok");
    }
}

model::ScheduleEntry entry_of(const World& world) {
    const auto found = world.runtime->schedule().find("age-all");
    EXPECT_TRUE(found && *found);
    return found && *found ? **found : model::ScheduleEntry();
}

TEST(SchedulerTest, RunsWhatIsDueAndNotBefore) {
    World world;
    Scheduler scheduler({world.runtime.get()}, world.real_clock, options("me"));
    EXPECT_FALSE(scheduler.run_due());
    EXPECT_EQ(world.parcel("p1", "state"), R"("old")");
    auto entry = entry_of(world);
    EXPECT_EQ(entry.changed, 1);
    EXPECT_EQ(entry.next_run_millis, kStart + 1'000);
    EXPECT_EQ(entry.finished_millis, kStart);
    EXPECT_EQ(entry.lease_owner, "");

    register_parcels(world, 1);
    EXPECT_FALSE(scheduler.run_due());
    EXPECT_EQ(world.parcel("q0", "state"), R"("fresh")");
    world.clock.advance(1'500);
    EXPECT_FALSE(scheduler.run_due());
    EXPECT_EQ(world.parcel("q0", "state"), R"("old")");
    entry = entry_of(world);
    EXPECT_EQ(entry.next_run_millis, kStart + 2'000) << "no drift";
    world.clock.advance(60'000);
    EXPECT_FALSE(scheduler.run_due());
    EXPECT_EQ(entry_of(world).next_run_millis, kStart + 62'500) << "nothing is made up for";
}

TEST(SchedulerTest, GoesOnWhereAnotherWasCutOff) {
    World world;
    register_parcels(world, 24);
    {
        Scheduler first({world.runtime.get()}, world.real_clock, options("first", 10));
        EXPECT_TRUE(first.run_due()) << "there is another page";
    }
    auto entry = entry_of(world);
    EXPECT_EQ(entry.scanned, 10);
    EXPECT_FALSE(entry.cursor.empty());
    EXPECT_EQ(entry.lease_owner, "first");

    // While the lease holds, nobody else touches it.
    Scheduler second({world.runtime.get()}, world.real_clock, options("second", 10));
    EXPECT_FALSE(second.run_due());
    EXPECT_EQ(entry_of(world).scanned, 10);

    entry.lease_until_millis = world.real_clock.now_millis() - 1;
    ASSERT_TRUE(world.runtime->schedule().save(entry, "first"));
    world.clock.advance(10'000);
    int pages = 0;
    while (second.run_due() && pages < 10) {
        ++pages;
    }
    entry = entry_of(world);
    EXPECT_EQ(entry.scanned, 25);
    EXPECT_EQ(entry.changed, 25);
    EXPECT_TRUE(entry.cursor.empty());
    for (int at = 0; at < 24; ++at) {
        EXPECT_EQ(world.parcel("q" + std::to_string(at), "runs"), "1");
    }
}

TEST(SchedulerTest, TheOnlyServerNeedNotWaitForALease) {
    World world;
    register_parcels(world, 24);
    Scheduler first({world.runtime.get()}, world.real_clock, options("killed", 10));
    EXPECT_TRUE(first.run_due());
    auto alone = options("restarted");
    alone.only_server = true;
    Scheduler second({world.runtime.get()}, world.real_clock, alone);
    EXPECT_FALSE(second.run_due());
    EXPECT_EQ(entry_of(world).scanned, 25);
}

TEST(SchedulerTest, ACursorOfNoUseMeansABeginning) {
    World world;
    model::ScheduleEntry entry;
    entry.job = "age-all";
    entry.next_run_millis = kStart;
    entry.cursor = "made with another secret";
    ASSERT_TRUE(world.runtime->schedule().create(entry));
    Scheduler scheduler({world.runtime.get()}, world.real_clock, options("me"));
    EXPECT_FALSE(scheduler.run_due());
    EXPECT_NE(entry_of(world).last_error.find("InvalidCursor"), std::string::npos);
    world.clock.advance(10'000);
    EXPECT_FALSE(scheduler.run_due());
    EXPECT_EQ(entry_of(world).changed, 1);
    EXPECT_EQ(entry_of(world).last_error, "");
}

TEST(SchedulerTest, TwoOfThemRunAJobOnce) {
    World world;
    register_parcels(world, 60);
    model::Runtime other(
        *world.model, *world.engine, world.clock, model::RuntimeOptions{.secret = "a secret"}
    );
    auto quick = options("first", 7);
    quick.tick_millis = 5;
    Scheduler first({world.runtime.get()}, world.real_clock, quick);
    quick.owner = "second";
    Scheduler second({&other}, world.real_clock, quick);
    first.start();
    second.start();
    ASSERT_TRUE(eventually([&] {
        const auto found = world.runtime->schedule().find("age-all");
        return found && *found && (*found)->finished_millis != 0;
    }));
    first.stop();
    second.stop();
    EXPECT_EQ(entry_of(world).changed, 61);
    EXPECT_EQ(entry_of(world).scanned, 61);
}

}  // namespace
}  // namespace gateleg::jobs

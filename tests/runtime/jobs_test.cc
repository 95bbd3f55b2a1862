#include "model/outbox_table.h"
#include "model/schedule_table.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

template <class T>
T got(Result<T> result) {
    EXPECT_TRUE(result);
    return *std::move(result);
}

const Job& job_of(const World& world, const std::string& name) {
    for (const auto& job : world.model->jobs) {
        if (job.name == name) {
            return job;
        }
    }
    throw std::out_of_range(name);
}

std::string id_of(int number) {
    auto digits = std::to_string(number);
    return "p" + std::string(4 - digits.size(), '0') + digits;
}

void register_parcels(World& world, int count, const std::string& owner = "ann") {
    for (int at = 0; at < count; ++at) {
        EXPECT_EQ(
            world.outcome(
                "register",
                R"({"id":")" + id_of(at) + R"(","owner":")" + owner + R"("})",
                internal()
            ),
            "ok"
        );
    }
}

TEST(JobRunTest, RunsItsOperationForEveryItem) {
    World world("parcels");
    register_parcels(world, 120);
    const auto& job = job_of(world, "age-all");
    const auto first = world.runtime->run_job(job, {}, user("root", {"admin"}));
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->scanned, 120);
    EXPECT_EQ(first->changed, 120);
    EXPECT_TRUE(first->done);
    EXPECT_FALSE(first->cursor);

    const auto again = world.runtime->run_job(job, {}, internal());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->scanned, 120);
    EXPECT_EQ(again->changed, 0);
    EXPECT_EQ(again->skipped, 120);
    EXPECT_NE(world.raw("PARCEL#p0007", "META").find(R"("runs":1)"), std::string::npos);
    EXPECT_EQ(world.fsck(), "");
}

TEST(JobRunTest, GoesOnAtItsCursorWhileTimePasses) {
    World world("parcels");
    register_parcels(world, 130);
    for (const auto* name : {"age-all", "lose-some"}) {
        JobCall call;
        if (name == std::string("lose-some")) {
            call.arguments["owner"] = json("\"ann\"");
        }
        call.max_items = 30;
        std::int64_t scanned = 0;
        std::int64_t changed = 0;
        int calls = 0;
        for (bool done = false; !done && calls < 20; ++calls) {
            const auto report = world.runtime->run_job(job_of(world, name), call, internal());
            ASSERT_TRUE(report) << report.error().message;
            EXPECT_LE(report->scanned, 30);
            EXPECT_EQ(report->done, !report->cursor);
            scanned += report->scanned;
            changed += report->changed;
            call.cursor = report->cursor;
            done = report->done;
            world.clock.advance(1'000);
        }
        EXPECT_EQ(scanned, 130) << name;
        EXPECT_EQ(changed, 130) << name;
        EXPECT_GE(calls, 5);
    }
}

TEST(JobRunTest, ReadsOfAScanAreBoundedToo) {
    World world("parcels");
    register_parcels(world, 3);
    for (int at = 0; at < 40; ++at) {
        world.outcome("annotate", R"({"id":"p0001","n":)" + std::to_string(at) + "}", internal());
    }
    JobCall call;
    call.arguments["owner"] = json("\"bob\"");
    call.max_reads = 10;
    std::int64_t scanned = 0;
    int calls = 0;
    do {
        const auto report = world.runtime->run_job(job_of(world, "lose-some"), call, internal());
        ASSERT_TRUE(report);
        scanned += report->scanned;
        call.cursor = report->cursor;
    } while (++calls < 20 && call.cursor);
    EXPECT_EQ(scanned, 3);
    EXPECT_GE(calls, 4);
}

TEST(JobRunTest, CountsWhatIsRefusedAndGoesOn) {
    World world("parcels");
    register_parcels(world, 4);
    JobCall call;
    call.arguments["owner"] = json("\"ann\"");
    const auto report = world.runtime->run_job(job_of(world, "lose-some"), call, internal());
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 4);
    EXPECT_EQ(report->changed, 0);
    EXPECT_NE(report->first_failure.find("NotOld"), std::string::npos) << report->first_failure;
    EXPECT_TRUE(report->done);
}

TEST(JobRunTest, DryRunChangesNothing) {
    World world("parcels");
    register_parcels(world, 5);
    JobCall call;
    call.dry_run = true;
    const auto report = world.runtime->run_job(job_of(world, "age-all"), call, internal());
    ASSERT_TRUE(report);
    EXPECT_EQ(report->changed, 5);
    EXPECT_NE(world.raw("PARCEL#p0000", "META").find("fresh"), std::string::npos);
}

TEST(JobRunTest, JudgesCallerInputsAndCursor) {
    World world("parcels");
    const auto& job = job_of(world, "lose-some");
    const auto code = [&](JobCall call, const Caller& caller) {
        const auto report = world.runtime->run_job(job, call, caller);
        return report ? std::string("ok") : report.error().code;
    };
    JobCall good;
    good.arguments["owner"] = json("\"ann\"");
    EXPECT_EQ(code(good, user("u")), "Forbidden");
    EXPECT_EQ(code(good, {}), "Unauthenticated");
    EXPECT_EQ(code(good, user("root", {"admin"})), "ok");
    EXPECT_EQ(code({}, internal()), "ValidationFailed");
    auto other = good;
    other.arguments["colour"] = json("1");
    EXPECT_EQ(code(other, internal()), "UnknownField");

    register_parcels(world, 3);
    good.max_items = 1;
    const auto part = world.runtime->run_job(job, good, internal());
    ASSERT_TRUE(part && part->cursor);
    good.cursor = part->cursor;
    EXPECT_EQ(code(good, internal()), "ok");
    EXPECT_EQ(code(good, user("root", {"admin"})), "InvalidCursor") << "another caller's";
    good.arguments["owner"] = json("\"bob\"");
    EXPECT_EQ(code(good, internal()), "InvalidCursor") << "of another call";
    good.cursor = "nonsense";
    EXPECT_EQ(code(good, internal()), "InvalidCursor");
}

// --- the tables of src/jobs

std::vector<OutboxRow> waiting_rows(const World& world) {
    std::vector<OutboxRow> all;
    for (int slot = 0; slot < kOutboxSlots; ++slot) {
        const auto rows = world.runtime->outbox().list(slot, "", 100);
        EXPECT_TRUE(rows);
        all.insert(all.end(), rows->begin(), rows->end());
    }
    return all;
}

TEST(OutboxTableTest, OneHolderAtATime) {
    World world("parcels");
    int rings = 0;
    world.runtime->on_outbox([&] { ++rings; });
    register_parcels(world, 1);
    EXPECT_EQ(rings, 0);
    const std::string send = R"({"id":"p0000","kind":"alert","payload":{"a":[1,{"b":"c"}]}})";
    ASSERT_EQ(world.outcome("send", send, internal()), "ok");
    EXPECT_EQ(rings, 1);
    const auto& outbox = world.runtime->outbox();
    auto rows = waiting_rows(world);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].kind, "alert");
    EXPECT_EQ(to_json(rows[0].payload), R"({"a":[1,{"b":"c"}]})");
    EXPECT_EQ(rows[0].created_millis, kStart);

    auto mine = rows[0];
    auto theirs = rows[0];
    const auto at = kStart;
    EXPECT_EQ(got(outbox.claim(mine, "me", at, at + 100, false)), true);
    EXPECT_EQ(got(outbox.claim(theirs, "they", at + 50, at + 150, false)), false);
    EXPECT_EQ(got(outbox.renew(mine, at + 200)), true);
    EXPECT_EQ(got(outbox.claim(theirs, "they", at + 150, at + 250, false)), false);
    EXPECT_EQ(got(outbox.claim(theirs, "they", at + 200, at + 300, false)), true);
    EXPECT_EQ(got(outbox.renew(mine, at + 400)), false) << "it took too long";
    EXPECT_EQ(got(outbox.finish(mine)), false);
    theirs.attempts = 1;
    theirs.next_attempt_millis = at + 5'000;
    theirs.last_error = "no answer";
    EXPECT_EQ(got(outbox.put_back(theirs)), true);

    auto found = got(outbox.find(rows[0].slot, rows[0].id));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->attempts, 1);
    EXPECT_EQ(found->last_error, "no answer");
    EXPECT_EQ(found->lease_owner, "");
    EXPECT_EQ(got(outbox.claim(*found, "me", at, at + 100, false)), true);
    // The only server of a table takes what a process before it has left.
    auto restarted = got(outbox.find(rows[0].slot, rows[0].id));
    EXPECT_EQ(got(outbox.claim(*restarted, "me again", at, at + 100, true)), true);
    EXPECT_EQ(world.fsck(), "");
    EXPECT_EQ(got(outbox.finish(*restarted)), true);
    EXPECT_TRUE(waiting_rows(world).empty());
    const auto done = got(outbox.list_done(kStart, "", 10));
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].id, rows[0].id);
    const auto raw = world.raw("OUTBOXDONE#20250301", rows[0].id);
    const auto ttl = std::to_string(kStart / 1000 + 30 * 24 * 60 * 60);
    EXPECT_NE(raw.find("\"ttl\":" + ttl), std::string::npos) << raw;
    EXPECT_EQ(world.fsck(), "");
}

TEST(OutboxTableTest, TheDeadCanBeRevived) {
    World world("parcels");
    register_parcels(world, 1);
    ASSERT_EQ(world.outcome("send", R"({"id":"p0000","kind":"alert"})", internal()), "ok");
    const auto& outbox = world.runtime->outbox();
    auto row = waiting_rows(world).at(0);
    ASSERT_EQ(got(outbox.claim(row, "me", kStart, kStart + 100, false)), true);
    row.attempts = 10;
    EXPECT_EQ(got(outbox.bury(row)), true);
    EXPECT_TRUE(waiting_rows(world).empty());
    const auto dead = got(outbox.list_dead(kStart, "", 10));
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead[0].attempts, 10);
    EXPECT_EQ(world.fsck(), "");
    EXPECT_EQ(got(outbox.revive(dead[0])), true);
    EXPECT_EQ(got(outbox.revive(dead[0])), false);
    ASSERT_EQ(waiting_rows(world).size(), 1U);
    EXPECT_EQ(waiting_rows(world)[0].attempts, 0);
    EXPECT_EQ(waiting_rows(world)[0].id, row.id);
}

TEST(ScheduleTableTest, OneHolderAtATime) {
    World world("parcels");
    const auto& schedule = world.runtime->schedule();
    ScheduleEntry fresh;
    fresh.job = "age-all";
    fresh.next_run_millis = kStart;
    EXPECT_FALSE(got(schedule.find("age-all")));
    EXPECT_EQ(got(schedule.create(fresh)), true);
    EXPECT_EQ(got(schedule.create(fresh)), false);
    auto mine = *got(schedule.find("age-all"));
    auto theirs = mine;
    EXPECT_EQ(got(schedule.claim(mine, "me", kStart, kStart + 100, false)), true);
    EXPECT_EQ(got(schedule.claim(theirs, "they", kStart + 1, kStart + 101, false)), false);
    mine.cursor = "page 2";
    mine.changed = 7;
    EXPECT_EQ(got(schedule.save(mine, "me")), true);
    EXPECT_EQ(got(schedule.claim(theirs, "they", kStart + 200, kStart + 300, false)), false)
        << "what they read is old";
    theirs = *got(schedule.find("age-all"));
    EXPECT_EQ(theirs.cursor, "page 2");
    EXPECT_EQ(got(schedule.claim(theirs, "they", kStart + 200, kStart + 300, false)), true);
    EXPECT_EQ(got(schedule.save(mine, "me")), false);
    EXPECT_EQ(world.fsck(), "");
}

}  // namespace
}  // namespace gateleg::model

// Rows of the outbox as the commands see them.

#include "model/outbox_entries.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

constexpr const char* kId = "01JN00000000000000000000A1";

struct Rows {
    explicit Rows(World& the_world)
        : world(the_world), database(world.model->table, *world.engine, nullptr) {}

    std::vector<OutboxEntry> waiting() { return *list_waiting(*world.model, database); }
    std::vector<OutboxEntry> dead(int days = 3) {
        return *list_given_up(*world.model, database, world.clock.now_millis(), days);
    }
    bool retry(const OutboxEntry& row) {
        return *retry_entry(*world.model, database, row, world.clock.now_millis());
    }

    World& world;
    Database database;
};

void put_dead(World& world, const std::string& day) {
    world.put_raw(
        R"({"PK":"OUTBOXDEAD#)" + day + R"(","SK":")" + kId +
        R"(","kind":"mail","payload":{"to":"a@x"},"attempts":9,"lastError":"refused",)"
        R"("nextAttemptAt":"2025-02-27T00:00:00.000Z","createdAt":"2025-02-26T00:00:00.000Z",)"
        R"("slot":3,"diedAt":"2025-02-27T00:00:00.000Z","ttl":1999999999})"
    );
}

TEST(OutboxTest, ARowThatWasGivenUpWaitsAgain) {
    World world("shop");
    put_dead(world, "20250227");
    Rows rows(world);
    EXPECT_TRUE(rows.waiting().empty());
    EXPECT_TRUE(rows.dead(2).empty());  // the clock says the first of March
    const auto dead = rows.dead(3);
    ASSERT_EQ(dead.size(), 1u);
    EXPECT_EQ(dead[0].id, kId);
    EXPECT_EQ(dead[0].attempts, 9);
    EXPECT_EQ(dead[0].error, "refused");
    EXPECT_EQ(dead[0].payload_json(), R"({"M":{"to":{"S":"a@x"}}})");

    EXPECT_TRUE(rows.retry(dead[0]));
    EXPECT_FALSE(rows.retry(dead[0]));
    EXPECT_TRUE(rows.dead().empty());
    const auto waiting = rows.waiting();
    ASSERT_EQ(waiting.size(), 1u);
    EXPECT_EQ(waiting[0].id, kId);
    EXPECT_EQ(waiting[0].kind, "mail");
    EXPECT_EQ(waiting[0].attempts, 0);
    EXPECT_EQ(waiting[0].next_attempt, "2025-03-01T10:20:30.400Z");
    EXPECT_EQ(waiting[0].created, "2025-02-26T00:00:00.000Z");
    EXPECT_EQ(waiting[0].payload_json(), R"({"M":{"to":{"S":"a@x"}}})");
    for (const auto* gone : {"ttl", "slot", "diedAt"}) {
        EXPECT_FALSE(waiting[0].raw.contains(gone)) << gone;
    }
    EXPECT_EQ(world.fsck(), "");
}

TEST(OutboxTest, ARowThatWaitsIsDueAtOnce) {
    World world("shop");
    put_dead(world, "20250301");
    Rows rows(world);
    ASSERT_TRUE(rows.retry(rows.dead().at(0)));
    world.clock.advance(60'000);
    ASSERT_TRUE(rows.retry(rows.waiting().at(0)));
    EXPECT_EQ(rows.waiting().at(0).next_attempt, "2025-03-01T10:21:30.400Z");
}

}  // namespace
}  // namespace gateleg::model

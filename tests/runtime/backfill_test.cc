// Data that is not as the model says, and what puts it right.

#include "model/backfill.h"

#include <atomic>
#include <thread>

#include "model/repair.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

struct Tools {
    explicit Tools(World& world)
        : shared(*world.model, *world.engine, world.clock, {}),
          database(world.model->table, *world.engine, nullptr) {}

    BackfillReport backfill(const BackfillOptions& options = {}, BackfillPosition start = {}) {
        auto report = run_backfill(shared, database, options, std::move(start));
        EXPECT_TRUE(report) << (report ? "" : report.error().message);
        return report ? *std::move(report) : BackfillReport{};
    }

    Shared shared;
    Database database;
};

// As an older program left it: no index keys, no guard.
std::string old_user(const std::string& id, const std::string& more = "") {
    return R"({"PK":"USER#)" + id + R"(","SK":"PROFILE","kind":"User","userId":")" + id +
           R"(","email":")" + id + R"(@x","name":"n","plan":"pro","points":7,"visits":0,)" +
           R"("active":"yes","version":1)" + more + "}";
}

TEST(BackfillTest, KeysAndRowsOfOldItemsAreWritten) {
    World world("shop");
    world.put_raw(old_user("a", R"(,"city":"Rome")"));
    // No city: the keys of its index must go.
    world.put_raw(old_user("b", R"(,"GSI2PK":"CITY#Oslo","GSI2SK":"n#b")"));
    world.put_raw(R"({"PK":"STOCK#s","SK":"META","kind":"Stock","left":1,"price":1})");
    EXPECT_NE(world.fsck(), "");
    Tools tools(world);
    const auto counts = tools.backfill().position.counts;
    EXPECT_EQ(counts.matched, counts.scanned);
    EXPECT_EQ(counts.changed, 2);
    EXPECT_EQ(counts.rows, 2);
    EXPECT_EQ(counts.failed, 0);
    EXPECT_EQ(world.fsck(), "");
    const auto raw = world.raw("USER#a", "PROFILE");
    EXPECT_NE(raw.find(R"("GSI1PK":"PLAN#pro","GSI1SK":"00000007#a")"), std::string::npos) << raw;
    EXPECT_NE(raw.find(R"("GSI2PK":"CITY#Rome","GSI2SK":"n#a")"), std::string::npos) << raw;
    EXPECT_EQ(world.raw("USER#b", "PROFILE").find("GSI2"), std::string::npos);
    EXPECT_NE(world.raw("UNIQUE#EMAIL#a@x", "UNIQUE#EMAIL#a@x"), "null");

    const auto again = tools.backfill().position.counts;
    EXPECT_EQ(again.changed + again.rows, 0);
}

TEST(BackfillTest, ADryRunOnlyCounts) {
    World world("shop");
    world.put_raw(old_user("a"));
    const auto before = world.raw("USER#a", "PROFILE");
    Tools tools(world);
    const auto counts = tools.backfill({.dry_run = true}).position.counts;
    EXPECT_EQ(counts.changed, 1);
    EXPECT_EQ(counts.rows, 1);
    EXPECT_EQ(world.raw("USER#a", "PROFILE"), before);
}

TEST(BackfillTest, OtherEntitiesAreLeftAlone) {
    World world("shop");
    world.put_raw(old_user("a"));
    Tools tools(world);
    const auto counts =
        tools.backfill({.entity = world.model->find_entity("Order")}).position.counts;
    EXPECT_EQ(counts.scanned, 1);
    EXPECT_EQ(counts.matched, 0);
    EXPECT_NE(world.fsck(), "");
}

TEST(BackfillTest, ANameThatAnotherHoldsIsReported) {
    World world("shop");
    world.put_raw(old_user("a"));
    world.put_raw(R"({"PK":"UNIQUE#EMAIL#a@x","SK":"UNIQUE#EMAIL#a@x","ownerId":"z"})");
    Tools tools(world);
    const auto report = tools.backfill();
    EXPECT_EQ(report.position.counts.changed, 1);
    EXPECT_EQ(report.position.counts.failed, 1);
    ASSERT_EQ(report.problems.size(), 1u);
    EXPECT_EQ(report.problems[0].entity, "User");
    EXPECT_NE(report.problems[0].message.find("Guard is another's"), std::string::npos);
    EXPECT_NE(world.raw("UNIQUE#EMAIL#a@x", "UNIQUE#EMAIL#a@x").find("\"z\""), std::string::npos);
}

TEST(BackfillTest, ItGoesOnFromItsPosition) {
    World world("shop");
    for (int n = 0; n < 10; ++n) {
        world.put_raw(old_user("u" + std::to_string(n)));
    }
    Tools tools(world);
    const auto* entity = world.model->find_entity("User");
    BackfillPosition position;
    int runs = 0;
    while (!position.finished && runs < 100) {
        ++runs;
        position =
            tools.backfill({.entity = entity, .page_items = 3, .max_items = 3}, position).position;
        auto parsed =
            parse_position(*world.model, "User", render_position(*world.model, "User", position));
        ASSERT_TRUE(parsed) << parsed.error().message;
        position = *std::move(parsed);
    }
    EXPECT_GT(runs, 3);
    EXPECT_TRUE(position.finished);
    EXPECT_EQ(position.counts.changed, 10);
    EXPECT_EQ(world.fsck(), "");
    EXPECT_FALSE(
        parse_position(*world.model, "Order", render_position(*world.model, "User", position))
    );
    EXPECT_FALSE(parse_position(*world.model, "User", "nonsense"));
}

TEST(BackfillTest, LiveWritesWin) {
    World world("shop");
    constexpr int kUsers = 20;
    for (int n = 0; n < kUsers; ++n) {
        world.put_raw(old_user("u" + std::to_string(n)));
    }
    Tools tools(world);
    std::atomic<bool> stop = false;
    {
        std::jthread writer([&] {
            for (int turn = 0; !stop; ++turn) {
                const auto id = "u" + std::to_string(turn % kUsers);
                const auto name = R"({"name":"m)" + std::to_string(turn) + R"(","city":"C"})";
                world.outcome("edit", name, user(id));
                world.outcome("earn", R"({"userId":")" + id + R"(","n":1})", internal());
            }
        });
        for (int pass = 0; pass < 3; ++pass) {
            tools.backfill({.page_items = 4});
        }
        stop = true;
    }
    tools.backfill();
    EXPECT_EQ(world.fsck(), "");
}

TEST(RepairTest, StoriesGetTheirRowsBackAndLoseStrayOnes) {
    World world("stories");
    const auto created = world.run("createStory", R"({"title":"One"})", user("ann"));
    ASSERT_TRUE(created);
    const auto& body = std::get<value::Map>(created->body->data);
    const auto id = std::get<std::string>(body.at("id").data);
    const std::string rest = R"(,"ItemType":"StoryIndex","id":")" + id +
                             R"(","title":"Old","CreatedAt":"2025-03-01T10:20:30.400Z",)" +
                             R"("UpdatedAt":"2025-03-01T10:20:30.400Z","deleted":)";
    // Another title than the story's, and a row in the list of deleted ones that nobody asks for.
    world.put_raw(R"({"PK":"USER#ann","SK":"STORY#)" + id + "\"" + rest + "false}");
    world.put_raw(R"({"PK":"DELETED#USER#ann","SK":"STORY#)" + id + "\"" + rest + "true}");
    EXPECT_NE(world.fsck(), "");
    Tools tools(world);
    const auto report = run_repair(tools.shared, tools.database, 100);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->rewritten.position.counts.rows, 1);
    EXPECT_EQ(report->orphans_deleted, 1);
    EXPECT_EQ(report->left.found, 0);
    EXPECT_EQ(world.fsck(), "");
    EXPECT_EQ(world.raw("DELETED#USER#ann", "STORY#" + id), "null");
    EXPECT_NE(world.raw("USER#ann", "STORY#" + id).find(R"("title":"One")"), std::string::npos);
}

TEST(RepairTest, WhatOnlyPeopleCanDecideIsLeft) {
    World world("shop");
    world.put_raw(R"({"PK":"WHAT","SK":"IS THIS"})");
    world.put_raw(R"({"PK":"STOCK#s","SK":"META","kind":"Stock","left":"many","price":1})");
    Tools tools(world);
    const auto report = run_repair(tools.shared, tools.database, 100);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->orphans_deleted, 0);
    EXPECT_EQ(report->left.found, 2);
}

}  // namespace
}  // namespace gateleg::model

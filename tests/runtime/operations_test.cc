// Guards, index keys, pins, counters, outcomes: on a small model made for that.

#include <atomic>
#include <mutex>

#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

std::string sign_up(World& world, const std::string& id, const std::string& email) {
    return world.outcome(
        "signUp", R"({"userId":")" + id + R"(","email":")" + email + R"("})", user(id)
    );
}

TEST(OperationsTest, OneOfTwentySignUpsGetsTheEmail) {
    World world("shop");
    std::atomic<int> good = 0;
    std::atomic<int> taken = 0;
    at_once(20, [&](int at) {
        const auto outcome = sign_up(world, "u" + std::to_string(at), " Ann@Example.com ");
        good += outcome == "ok" ? 1 : 0;
        taken += outcome == "EmailTaken" ? 1 : 0;
    });
    EXPECT_EQ(good, 1);
    EXPECT_EQ(taken, 19);
    EXPECT_NE(world.raw("UNIQUE#EMAIL#ann@example.com", "UNIQUE#EMAIL#ann@example.com"), "null");
    EXPECT_EQ(world.fsck(), "");
}

TEST(OperationsTest, AGuardMovesWithItsValue) {
    World world("shop");
    EXPECT_EQ(sign_up(world, "u1", "a@x"), "ok");
    EXPECT_EQ(sign_up(world, "u2", "b@x"), "ok");
    EXPECT_EQ(world.outcome("changeEmail", R"({"email":"b@x"})", user("u1")), "EmailTaken");
    EXPECT_EQ(world.outcome("changeEmail", R"({"email":"c@x"})", user("u1")), "ok");
    EXPECT_EQ(world.raw("UNIQUE#EMAIL#a@x", "UNIQUE#EMAIL#a@x"), "null");
    EXPECT_EQ(world.outcome("changeEmail", R"({"email":"a@x"})", user("u2")), "ok");
    EXPECT_EQ(world.outcome("leave", "{}", user("u2")), "ok");
    EXPECT_EQ(world.outcome("leave", "{}", user("u2")), "UserNotFound");
    EXPECT_EQ(sign_up(world, "u3", "a@x"), "ok");
    EXPECT_EQ(world.fsck(), "");
    // The same user again is refused by the user itself.
    EXPECT_EQ(sign_up(world, "u3", "d@x"), "UserAlreadyExists");
}

TEST(OperationsTest, AStrangersGuardIsLeftAlone) {
    World world("shop");
    EXPECT_EQ(sign_up(world, "u1", "a@x"), "ok");
    world.put_raw(R"({"PK":"UNIQUE#EMAIL#a@x","SK":"UNIQUE#EMAIL#a@x","ownerId":"u9"})");
    EXPECT_EQ(world.outcome("changeEmail", R"({"email":"c@x"})", user("u1")), "ok");
    EXPECT_NE(world.raw("UNIQUE#EMAIL#a@x", "UNIQUE#EMAIL#a@x").find("u9"), std::string::npos);
}

TEST(OperationsTest, IndexKeysFollow) {
    World world("shop");
    EXPECT_EQ(sign_up(world, "u1", "a@x"), "ok");
    auto raw = world.raw("USER#u1", "PROFILE");
    EXPECT_NE(raw.find(R"("GSI1PK":"PLAN#free","GSI1SK":"00000000#u1")"), std::string::npos) << raw;
    EXPECT_EQ(raw.find("GSI2"), std::string::npos) << "no city, so neither key: " << raw;
    EXPECT_NE(raw.find(R"("note":null)"), std::string::npos) << raw;
    EXPECT_NE(raw.find(R"("active":"yes")"), std::string::npos) << raw;

    const auto plan = world.run("setPlan", R"({"userId":"u1","plan":"pro"})", internal());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(to_json(*plan->body), R"({"active":true,"plan":"pro","version":2})");
    EXPECT_EQ(world.outcome("earn", R"({"userId":"u1","n":42})", internal()), "ok");
    EXPECT_EQ(world.outcome("edit", R"({"city":"Bern"})", user("u1")), "ok");
    raw = world.raw("USER#u1", "PROFILE");
    EXPECT_NE(raw.find(R"("GSI1PK":"PLAN#pro","GSI1SK":"00000042#u1")"), std::string::npos) << raw;
    EXPECT_NE(raw.find(R"("GSI2PK":"CITY#Bern","GSI2SK":"nobody#u1")"), std::string::npos) << raw;
    EXPECT_EQ(world.query("byPlan", R"({"plan":"pro"})", internal())->items.size(), 1U);
    EXPECT_EQ(world.query("byPlan", R"({"plan":"free"})", internal())->items.size(), 0U);

    EXPECT_EQ(world.outcome("edit", R"({"name":"Ann","city":null,"note":"hi"})", user("u1")), "ok");
    raw = world.raw("USER#u1", "PROFILE");
    EXPECT_EQ(raw.find("GSI2"), std::string::npos) << raw;
    EXPECT_EQ(raw.find("city"), std::string::npos) << raw;
    EXPECT_EQ(world.outcome("edit", R"({"note":null})", user("u1")), "ok");
    EXPECT_NE(world.raw("USER#u1", "PROFILE").find(R"("note":null)"), std::string::npos);
    EXPECT_EQ(world.outcome("edit", R"({"name":null})", user("u1")), "ValidationFailed");
    EXPECT_EQ(world.fsck(), "");
}

TEST(OperationsTest, ACounterInAPaddedKeyLosesNothing) {
    World world("shop");
    EXPECT_EQ(sign_up(world, "u1", "a@x"), "ok");
    at_once(20, [&](int at) {
        EXPECT_EQ(world.outcome("earn", R"({"userId":"u1","n":1})", internal()), "ok");
        EXPECT_EQ(
            world.outcome(
                "setPlan",
                std::string(R"({"userId":"u1","plan":")") + (at % 2 == 0 ? "pro" : "free") +
                    R"("})",
                internal()
            ),
            "ok"
        );
    });
    const auto raw = world.raw("USER#u1", "PROFILE");
    EXPECT_NE(raw.find(R"("GSI1SK":"00000020#u1")"), std::string::npos) << raw;
    EXPECT_NE(raw.find(R"("visits":20)"), std::string::npos) << raw;
    EXPECT_EQ(world.fsck(), "");
}

TEST(OperationsTest, AnUpdateThatNeedsNoReadMakesOneCall) {
    World world("shop");
    EXPECT_EQ(sign_up(world, "u1", "a@x"), "ok");
    Explained explained;
    OperationCall call;
    call.arguments["userId"] = {std::string("u1")};
    ASSERT_TRUE(
        world.runtime->run(*world.model->find_operation("visit"), call, internal(), &explained)
    );
    ASSERT_EQ(explained.calls.size(), 1U);
    EXPECT_TRUE(explained.calls[0].starts_with(R"({"operation":"UpdateItem")"))
        << explained.calls[0];
    // Counters alone are no edit.
    EXPECT_NE(world.raw("USER#u1", "PROFILE").find(R"("version":1)"), std::string::npos);
}

TEST(OperationsTest, LoopsNameTheirOutcome) {
    World world("shop");
    EXPECT_EQ(world.outcome("fill", R"({"sku":"a","left":5,"price":3})", internal()), "ok");
    EXPECT_EQ(world.outcome("fill", R"({"sku":"b","left":1,"price":3})", internal()), "ok");
    const auto buy = [&](const std::string& lines, const std::string& key) {
        return world.outcome("buy", R"({"lines":)" + lines + "}", user("u1"), key);
    };
    EXPECT_EQ(buy(R"([{"sku":"a","n":2},{"sku":"b","n":2}])", "k1"), "OutOfStock");
    EXPECT_EQ(buy(R"([{"sku":"a","n":2},{"sku":"zz","n":1}])", "k1"), "UnknownSku");
    EXPECT_EQ(buy(R"([{"sku":"a","n":2},{"sku":"b","n":1}])", "k1"), "ok");
    EXPECT_EQ(buy(R"([{"sku":"a"}])", "k2"), "ValidationFailed");
    EXPECT_EQ(
        world.outcome("buy", R"({"lines":[{"sku":"a","n":1}]})", user("u1")),
        "IdempotencyKeyRequired"
    );
    EXPECT_NE(world.raw("STOCK#a", "META").find(R"("left":3)"), std::string::npos);
    EXPECT_NE(world.raw("STOCK#b", "META").find(R"("left":0)"), std::string::npos);
}

TEST(OperationsTest, ValuesReadAreTheValuesSold) {
    World world("shop");
    EXPECT_EQ(world.outcome("fill", R"({"sku":"a","left":100,"price":1})", internal()), "ok");
    std::mutex mutex;
    std::set<std::string> totals;
    at_once(16, [&](int at) {
        if (at % 4 == 0) {
            EXPECT_EQ(
                world.outcome(
                    "fill",
                    R"({"sku":"a","left":100,"price":)" + std::to_string(at + 1) + "}",
                    internal()
                ),
                "ok"
            );
            return;
        }
        const auto reply = world.run("buyOne", R"({"sku":"a"})", user("u1"));
        ASSERT_TRUE(reply) << reply.error().message;
        const std::lock_guard lock(mutex);
        totals.insert(to_json(std::get<value::Map>(reply->body->data).at("total")));
    });
    EXPECT_FALSE(totals.empty());
    EXPECT_EQ(world.outcome("buyOne", R"({"sku":"none"})", user("u1")), "StockNotFound");
}

TEST(OperationsTest, StepsOnOneItemAreOne) {
    World world("shop");
    at_once(10, [&](int) {
        EXPECT_EQ(world.outcome("twice", R"({"name":"x"})", internal()), "ok");
    });
    EXPECT_EQ(
        world.raw("TALLY#x", "META"),
        R"({"PK":"TALLY#x","SK":"META","kind":"Tally","n":20,"seen":10})"
    );
}

TEST(OperationsTest, SkipLeavesOneStepOut) {
    World world("shop");
    EXPECT_EQ(sign_up(world, "u1", "a@x"), "ok");
    EXPECT_EQ(world.outcome("visit", R"({"userId":"u1"})", internal()), "ok");
    EXPECT_EQ(world.outcome("lower", R"({"name":"x"})", internal()), "ok");
    EXPECT_EQ(world.outcome("lower", R"({"name":"x"})", internal()), "ok");
    EXPECT_NE(world.raw("USER#u1", "PROFILE").find(R"("visits":0)"), std::string::npos);
    EXPECT_NE(world.raw("TALLY#x", "META").find(R"("seen":2)"), std::string::npos);
}

TEST(OperationsTest, RetryCountsAttempts) {
    World world("shop");
    for (const char* name : {"\"t0\"", "\"t1\"", "\"t2\""}) {
        const auto reply = world.run("numbered", "{}", internal());
        ASSERT_TRUE(reply) << reply.error().message;
        EXPECT_EQ(to_json(*reply->body), name);
    }
}

TEST(OperationsTest, WhatIsOverIsAbsentAtOnce) {
    World world("shop");
    const std::string issue = R"({"token":"t","userId":"u1"})";
    EXPECT_EQ(world.outcome("issue", issue, internal()), "ok");
    EXPECT_EQ(world.outcome("issue", issue, internal()), "TokenAlreadyExists");
    EXPECT_TRUE(world.get("token", R"({"token":"t"})", internal()));
    world.clock.advance(60LL * 60 * 1000);
    EXPECT_FALSE(world.get("token", R"({"token":"t"})", internal()));
    EXPECT_EQ(world.outcome("issue", issue, internal()), "ok");
}

TEST(OperationsTest, MatchPicksTheTarget) {
    World world("shop");
    EXPECT_EQ(world.outcome("twice", R"({"name":"x"})", internal()), "ok");
    EXPECT_EQ(world.outcome("match", R"({"kind":"tally","id":"x"})", internal()), "ok");
    EXPECT_EQ(world.outcome("match", R"({"kind":"stock","id":"x"})", internal()), "StockNotFound");
    EXPECT_EQ(
        world.outcome("match", R"({"kind":"other","id":"x"})", internal()), "ValidationFailed"
    );
}

TEST(OperationsTest, AReadThatIsOnlyUsedIsPinnedByACheck) {
    World world("shop");
    EXPECT_EQ(world.outcome("fill", R"({"sku":"a","left":1,"price":9})", internal()), "ok");
    Explained explained;
    OperationCall call;
    call.arguments["sku"] = {std::string("a")};
    call.arguments["name"] = {std::string("x")};
    ASSERT_TRUE(
        world.runtime->run(*world.model->find_operation("pinned"), call, internal(), &explained)
    );
    EXPECT_NE(explained.calls.back().find("ConditionCheck"), std::string::npos)
        << explained.calls.back();
    EXPECT_NE(world.raw("TALLY#x", "META").find(R"("n":9)"), std::string::npos);
}

TEST(OperationsTest, HiddenAttributesAndDefaultsInAnswers) {
    World world("shop");
    const auto tally = world.get("tally", R"({"name":"never"})", internal());
    ASSERT_TRUE(tally) << tally.error().message;
    EXPECT_EQ(
        to_json(world.runtime->to_api(*tally->entity, tally->item, {})),
        R"({"n":0,"name":"never","seen":0})"
    );
    world.put_raw(
        R"({"PK":"USER#u5","SK":"PROFILE","kind":"User","userId":"u5","email":"e@x","name":"E","plan":"free",)"
        R"("points":0,"visits":0,"secret":"s","active":"no","version":1})"
    );
    EXPECT_FALSE(world.get("user", R"({"userId":"u5"})", user("u1"))) << "not visible to others";
    const auto own = world.get("user", R"({"userId":"u5"})", user("u5"));
    ASSERT_TRUE(own);
    EXPECT_EQ(
        to_json(world.runtime->to_api(*own->entity, own->item, user("u5"))),
        R"({"active":false,"email":"e@x","name":"E","plan":"free","points":0,"userId":"u5","version":1,"visits":0})"
    );
    EXPECT_NE(world.fsck().find("missing row"), std::string::npos);
    EXPECT_NE(world.fsck().find("stale key"), std::string::npos);
}

}  // namespace
}  // namespace gateleg::model

// Parts of the other systems that are easy to get wrong, through the runtime.

#include <atomic>

#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

std::string member(const CallResult<OperationReply>& reply, const std::string& name) {
    EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
    return reply ? std::get<std::string>(std::get<value::Map>(reply->body->data).at(name).data)
                 : "";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(GalleryTest, LikesAreCountedOncePerUser) {
    World world("gallery");
    const auto id = member(
        world.run(
            "createAlbum", R"({"title":"Sea","tags":["Sea  View","sea view","Fog"]})", user("owner")
        ),
        "id"
    );
    const auto album = [&] { return world.raw("ALBUM#" + id, "METADATA"); };
    EXPECT_TRUE(has(album(), R"("GSI3PK":"ALBUM_BY_USER_true")")) << album();
    EXPECT_TRUE(has(album(), R"("GSI6SK":"0")")) << album();
    EXPECT_FALSE(has(album(), "GSI2PK")) << album();
    EXPECT_TRUE(
        has(world.raw("ALBUM_TAG#sea view", "ALBUM#" + id + "#2025-03-01T10:20:30.400Z"),
            R"("tag":"Sea  View")")
    );
    const auto arguments =
        R"({"targetType":"album","targetId":")" + id + R"(","interactionType":"like"})";
    std::atomic<int> changed = 0;
    at_once(20, [&](int at) {
        const auto who = user("u" + std::to_string(at % 10));
        changed += world.outcome("like", arguments, who) == "ok" ? 1 : 0;
    });
    EXPECT_EQ(changed, 10);
    EXPECT_TRUE(has(album(), R"("likeCount":10)")) << album();
    EXPECT_EQ(world.outcome("unlike", arguments, user("u1")), "ok");
    EXPECT_EQ(world.outcome("unlike", arguments, user("u1")), "unchanged");
    EXPECT_TRUE(has(album(), R"("likeCount":9)")) << album();
    EXPECT_TRUE(has(album(), R"("version":1)")) << album();
    EXPECT_EQ(
        world.outcome(
            "like",
            R"({"targetType":"album","targetId":"none","interactionType":"like"})",
            user("u1")
        ),
        "TargetNotFound"
    );
    EXPECT_EQ(world.fsck(), "");
}

TEST(GalleryTest, VisibilityMovesEveryTagRow) {
    World world("gallery");
    const auto id = member(
        world.run("createAlbum", R"({"title":"Sea","tags":["a","b"]})", user("owner")), "id"
    );
    const auto hide = R"({"id":")" + id + R"(","isPublic":false})";
    EXPECT_EQ(world.outcome("setAlbumVisibility", hide, user("other")), "Forbidden");
    EXPECT_EQ(world.outcome("setAlbumVisibility", hide, user("owner")), "ok");
    EXPECT_TRUE(
        has(world.raw("ALBUM_TAG#a", "ALBUM#" + id + "#2025-03-01T10:20:30.400Z"),
            R"("GSI2PK":"ALBUM_TAG#a#false")")
    );
    EXPECT_EQ(world.fsck(), "");
}

TEST(GalleryTest, TokensAndOutbox) {
    World world("gallery");
    const auto sign_up = [&](const std::string& email, const std::string& name) {
        return world.outcome(
            "createUser",
            R"({"email":")" + email + R"(","username":")" + name + R"(","token":"t)" + name +
                R"(","mailToken":"m","expiresAt":"2025-03-02T00:00:00Z"})",
            internal()
        );
    };
    EXPECT_EQ(sign_up("Ann@Example.com", "ann"), "ok");
    EXPECT_EQ(sign_up("ann@example.com", "bob"), "EmailTaken");
    EXPECT_EQ(sign_up("bob@example.com", "ANN"), "UsernameTaken");
    EXPECT_EQ(world.outcome("finishVerification", R"({"token":"tann"})", internal()), "ok");
    const auto again = world.run("finishVerification", R"({"token":"tann"})", internal());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, "TokenUsed");
    EXPECT_EQ(again.error().status, 410);
    EXPECT_EQ(world.fsck(), "");
}

TEST(GalleryTest, WhatBelongsToAPrivateAlbumIsPrivate) {
    World world("gallery");
    const auto make = [&](const std::string& title, const std::string& more) {
        return member(
            world.run(
                "createAlbum",
                R"({"title":")" + title + R"(","tags":["sea"])" + more + "}",
                user("owner")
            ),
            "id"
        );
    };
    const auto open = make("open", "");
    const auto shut = make("shut", R"(,"isPublic":false)");
    for (const auto& id : {open, shut}) {
        const auto comment =
            R"({"targetType":"album","targetId":")" + id + R"(","content":"mine"})";
        EXPECT_EQ(world.outcome("addComment", comment, user("owner")), "ok");
    }
    const auto count = [&](const std::string& pattern, const std::string& arguments, const char* who
                       ) {
        const auto page = world.query(pattern, arguments, user(who));
        return page ? std::to_string(page->items.size()) : page.error().code;
    };
    const auto on = [](const std::string& id) {
        return R"({"targetType":"album","targetId":")" + id + R"("})";
    };
    EXPECT_EQ(count("comments", on(open), "other"), "1");
    EXPECT_EQ(count("comments", on(shut), "other"), "TargetNotFound");
    EXPECT_EQ(count("comments", on(shut), "owner"), "1");
    // By the item each result belongs to.
    EXPECT_EQ(count("commentsByUser", R"({"userId":"owner"})", "other"), "1");
    EXPECT_EQ(count("commentsByUser", R"({"userId":"owner"})", "owner"), "2");
    // Each tag once; albums and media share an index and are listed once.
    EXPECT_EQ(count("tags", "{}", "owner"), "1");
    EXPECT_EQ(count("content", "{}", "owner"), "2");
    EXPECT_EQ(count("content", "{}", "other"), "1");
    EXPECT_EQ(count("feed", "{}", "other"), "1");
    EXPECT_EQ(world.fsck(), "");
}

// GA-O11, GA-R15
TEST(GalleryTest, ASessionNamesWhoGetsARole) {
    World world("gallery");
    const auto id = member(
        world.run(
            "createUser",
            R"({"email":"ann@example.com","username":"ann","token":"t","mailToken":"m","expiresAt":"2025-03-02T00:00:00Z"})",
            internal()
        ),
        "userId"
    );
    const auto session = member(
        world.run(
            "openSession",
            R"({"userId":")" + id + R"(","userEmail":"ann@example.com","secretHash":"h"})",
            internal()
        ),
        "sessionId"
    );
    const auto set = [&](const std::string& name, const std::string& role) {
        return world.outcome(
            "setRoleBySession",
            R"({"sessionId":")" + name + R"(","role":")" + role + R"("})",
            internal()
        );
    };
    EXPECT_EQ(set("none", "admin"), "SessionNotFound");
    EXPECT_EQ(set(session, "emperor"), "ValidationFailed");
    EXPECT_EQ(set(session, "admin"), "ok");
    EXPECT_EQ(set(session, "admin"), "unchanged");
    EXPECT_TRUE(has(world.raw("USER#" + id, "METADATA"), R"("role":"admin")"));
    EXPECT_EQ(set(session, "user"), "LastAdmin");
    world.clock.advance(std::int64_t{31} * 24 * 60 * 60 * 1000);
    EXPECT_EQ(set(session, "moderator"), "SessionNotFound");
    EXPECT_EQ(world.fsck(), "");
}

TEST(MembershipTest, GrantsOnceAndReadsByPrefixRuns) {
    World world("membership");
    const std::string grant =
        R"({"userId":"u1","source":"monthly","periodKey":"202503","amount":5,"kind":"monthly_grant","lotSource":"monthly"})";
    std::atomic<int> changed = 0;
    at_once(10, [&](int) {
        changed += world.outcome("grantCredits", grant, internal()) == "ok" ? 1 : 0;
    });
    EXPECT_EQ(changed, 1);
    EXPECT_TRUE(has(world.raw("USER#u1", "CREDITS#BALANCE"), R"("balance":5)"));
    const auto credits = world.get("credits", "{}", user("nobody-yet"));
    ASSERT_TRUE(credits) << credits.error().message;
    EXPECT_EQ(to_json(credits->item.at("balance")), "0");
    const auto ledger = world.query("ledger", "{}", user("u1"));
    ASSERT_TRUE(ledger);
    EXPECT_EQ(ledger->items.size(), 1U);
    EXPECT_EQ(to_json(ledger->items[0].at("balanceAfter")), "5");
    const auto membership = world.query("membership", R"({"userId":"u1"})", internal());
    ASSERT_TRUE(membership) << membership.error().message;
    ASSERT_EQ(membership->items.size(), 1U);
    EXPECT_EQ(membership->kinds[0]->name, "Credits");
    EXPECT_EQ(world.fsck(), "");
}

}  // namespace
}  // namespace gateleg::model

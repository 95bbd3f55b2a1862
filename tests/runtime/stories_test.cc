// The stories system end to end, with the raw items of its design document.

#include <atomic>
#include <mutex>

#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

constexpr std::int64_t kNextDay = 1'740'873'600'000;  // 2025-03-02T00:00:00.000Z

// One story s1 of u1, created on the first of March and renamed to "Fog" at midnight.
std::unique_ptr<World> world_with_story() {
    RuntimeOptions options;
    options.make_ulid = [n = std::make_shared<std::atomic<int>>(0)] {
        const auto at = (*n)++;
        return at == 0 ? std::string("s1") : "n" + std::to_string(at);
    };
    auto world = std::make_unique<World>("stories", options);
    EXPECT_EQ(world->outcome("createStory", R"({"title":"Mist"})", user("u1")), "ok");
    world->clock.freeze_at(kNextDay);
    EXPECT_EQ(world->outcome("renameStory", R"({"id":"s1","title":"Fog"})", user("u1")), "ok");
    return world;
}

std::string id_of(const CallResult<OperationReply>& reply) {
    EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
    return reply ? std::get<std::string>(std::get<value::Map>(reply->body->data).at("id").data)
                 : "";
}

TEST(StoriesTest, WritesTheItemsOfTheDocument) {
    const auto world = world_with_story();
    EXPECT_EQ(
        world->raw("USER#u1", "STORY#s1"),
        R"({"CreatedAt":"2025-03-01T10:20:30.400Z","ItemType":"StoryIndex","PK":"USER#u1",)"
        R"("SK":"STORY#s1","UpdatedAt":"2025-03-02T00:00:00.000Z","deleted":false,"id":"s1",)"
        R"("title":"Fog"})"
    );
    EXPECT_EQ(
        world->raw("USER#u1#STORY#s1", "METADATA"),
        R"({"CreatedAt":"2025-03-01T10:20:30.400Z","ItemType":"Story","PK":"USER#u1#STORY#s1",)"
        R"("SK":"METADATA","UpdatedAt":"2025-03-02T00:00:00.000Z","deleted":false,"id":"s1",)"
        R"("lastOrder":0,"nodeCount":0,"title":"Fog","version":2})"
    );
    const auto node = world->run(
        "addNode", R"({"storyId":"s1","node":{"prompt":"Go","mood":{"x":1}}})", internal("u1")
    );
    ASSERT_TRUE(node) << node.error().message;
    EXPECT_TRUE(node->created);
    EXPECT_EQ(
        world->raw("USER#u1#STORY#s1", "NODE#n1"),
        R"({"CreatedAt":"2025-03-02T00:00:00.000Z","ItemType":"Node","PK":"USER#u1#STORY#s1",)"
        R"("SK":"NODE#n1","UpdatedAt":"2025-03-02T00:00:00.000Z","id":"n1","mood":{"x":1},)"
        R"("nodeOrder":1024,"prompt":"Go","storyId":"s1","version":1})"
    );
    EXPECT_EQ(world->fsck(), "");
}

TEST(StoriesTest, AnswersWithoutKeys) {
    RuntimeOptions options;
    options.make_ulid = [] { return std::string("s1"); };
    const auto world = std::make_unique<World>("stories", options);
    const auto reply = world->run("createStory", R"({"title":"Fog"})", user("u1"));
    ASSERT_TRUE(reply);
    EXPECT_TRUE(reply->created);
    EXPECT_EQ(
        to_json(*reply->body),
        R"({"CreatedAt":"2025-03-01T10:20:30.400Z","UpdatedAt":"2025-03-01T10:20:30.400Z",)"
        R"("deleted":false,"id":"s1","lastOrder":0,"nodeCount":0,"title":"Fog","userId":"u1",)"
        R"("version":1})"
    );
}

TEST(StoriesTest, DeleteAndRestoreMoveTheRow) {
    const auto world = world_with_story();
    EXPECT_EQ(world->outcome("deleteStory", R"({"id":"s1"})", user("u1")), "ok");
    EXPECT_EQ(world->raw("USER#u1", "STORY#s1"), "null");
    EXPECT_EQ(
        world->raw("DELETED#USER#u1", "STORY#s1"),
        R"({"CreatedAt":"2025-03-01T10:20:30.400Z","DeletedAt":"2025-03-02T00:00:00.000Z",)"
        R"("ItemType":"StoryIndex","PK":"DELETED#USER#u1","SK":"STORY#s1",)"
        R"("UpdatedAt":"2025-03-02T00:00:00.000Z","deleted":true,"id":"s1","title":"Fog"})"
    );
    EXPECT_EQ(world->outcome("deleteStory", R"({"id":"s1"})", user("u1")), "unchanged");
    EXPECT_EQ(
        world->outcome("renameStory", R"({"id":"s1","title":"X"})", user("u1")), "StoryDeleted"
    );
    EXPECT_EQ(
        world->outcome("addNode", R"({"storyId":"s1","node":{}})", internal("u1")), "StoryDeleted"
    );
    EXPECT_EQ(world->outcome("restoreStory", R"({"id":"s1"})", user("u1")), "ok");
    EXPECT_EQ(world->outcome("restoreStory", R"({"id":"s1"})", user("u1")), "NotDeleted");
    EXPECT_EQ(world->raw("DELETED#USER#u1", "STORY#s1"), "null");
    EXPECT_NE(world->raw("USER#u1", "STORY#s1"), "null");
    EXPECT_EQ(world->fsck(), "");
}

TEST(StoriesTest, OthersFindNothing) {
    const auto world = world_with_story();
    EXPECT_EQ(
        world->outcome("renameStory", R"({"id":"s1","title":"X"})", user("u2")), "StoryNotFound"
    );
    EXPECT_EQ(
        world->outcome("addNode", R"({"storyId":"s1","node":{}})", internal("u2")), "StoryNotFound"
    );
    const auto story = world->get("story", R"({"id":"s1"})", user("u2"));
    ASSERT_FALSE(story);
    EXPECT_EQ(story.error().code, "StoryNotFound");
    EXPECT_EQ(story.error().status, 404);
    EXPECT_EQ(world->outcome("createStory", R"({"title":"X"})", Caller{}), "Unauthenticated");
    EXPECT_EQ(world->outcome("addNode", R"({"storyId":"s1","node":{}})", user("u1")), "Forbidden");
}

TEST(StoriesTest, EveryBadFieldIsNamed) {
    const auto world = world_with_story();
    const auto reply = world->run("renameStory", R"({"title":"","extra":1})", user("u1"));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().status, 400);
    EXPECT_EQ(reply.error().code, "ValidationFailed");
    EXPECT_EQ(reply.error().details.size(), 2U);  // title, extra
    EXPECT_EQ(
        world->outcome("renameStory", R"({"id":"s1","title":"X","extra":1})", user("u1")),
        "UnknownField"
    );
    EXPECT_EQ(
        world->outcome("renameStory", R"({"id":"s1","title":5})", user("u1")), "ValidationFailed"
    );
    EXPECT_EQ(
        world->outcome("renameStory", R"({"id":"a#STORY#b","title":"x"})", user("u1")),
        "ValidationFailed"
    );
    // Names that the server sets do not come through an open map.
    for (const char* name : {"id", "storyId", "PK", "SK", "ItemType", "version"}) {
        const auto arguments = std::string(R"({"storyId":"s1","node":{")") + name + R"(":"x"}})";
        EXPECT_EQ(world->outcome("addNode", arguments, internal("u1")), "ValidationFailed") << name;
    }
}

TEST(StoriesTest, IfMatchGuardsAgainstLostUpdates) {
    const auto world = world_with_story();
    const std::string rename = R"({"id":"s1","title":"A"})";
    EXPECT_EQ(world->outcome("renameStory", rename, user("u1"), {}, 1), "VersionMismatch");
    EXPECT_EQ(world->outcome("renameStory", rename, user("u1"), {}, 2), "ok");
    EXPECT_EQ(world->outcome("renameStory", rename, user("u1"), {}, 2), "VersionMismatch");
    EXPECT_EQ(world->outcome("renameStory", rename, user("u1"), {}, 3), "ok");
    const auto reply = world->run("renameStory", rename, user("u1"), {}, 3);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().status, 412);
}

TEST(StoriesTest, ListsSortsAndCombines) {
    const auto world = world_with_story();
    for (const char* order : {"30", "10", "20"}) {
        const auto arguments =
            std::string(R"({"storyId":"s1","node":{},"nodeOrder":)") + order + "}";
        EXPECT_EQ(world->outcome("addNode", arguments, internal("u1")), "ok");
    }
    const auto nodes = world->query("nodes", R"({"storyId":"s1"})", user("u1"));
    ASSERT_TRUE(nodes) << nodes.error().message;
    ASSERT_EQ(nodes->items.size(), 3U);
    EXPECT_EQ(to_json(nodes->items[0].at("nodeOrder")), "10");
    EXPECT_EQ(to_json(nodes->items[2].at("nodeOrder")), "30");

    Explained explained;
    PatternCall call;
    call.arguments["id"] = {std::string("s1")};
    const auto all = world->runtime->query(
        *world->model->find_pattern("storyWithNodes"), call, user("u1"), &explained
    );
    ASSERT_TRUE(all) << all.error().message;
    ASSERT_EQ(all->items.size(), 4U);
    EXPECT_EQ(all->kinds[0]->name, "Story");
    EXPECT_EQ(all->kinds[1]->name, "Node");
    EXPECT_EQ(explained.calls.size(), 1U) << explained.calls[0];
    EXPECT_GT(explained.capacity, 0);
}

TEST(StoriesTest, FiftyNodesAtOnceAllArrive) {
    const auto world = std::make_unique<World>("stories");
    const auto id = id_of(world->run("createStory", R"({"title":"Fog"})", user("u1")));
    std::atomic<int> failures = 0;
    std::string first_failure;
    std::mutex mutex;
    at_once(50, [&](int) {
        const auto outcome =
            world->outcome("addNode", R"({"storyId":")" + id + R"(","node":{}})", internal("u1"));
        if (outcome != "ok") {
            ++failures;
            const std::lock_guard lock(mutex);
            first_failure = outcome;
        }
    });
    EXPECT_EQ(failures, 0) << first_failure;
    const auto story = world->get("story", R"({"id":")" + id + R"("})", user("u1"));
    ASSERT_TRUE(story);
    EXPECT_EQ(to_json(story->item.at("nodeCount")), "50");
    const auto nodes = world->query("nodes", R"({"storyId":")" + id + R"("})", user("u1"));
    ASSERT_TRUE(nodes);
    std::set<std::string> orders;
    for (const auto& node : nodes->items) {
        orders.insert(to_json(node.at("nodeOrder")));
    }
    EXPECT_EQ(orders.size(), 50U);
    EXPECT_EQ(world->fsck(), "");
}

TEST(StoriesTest, OneKeyHasOneEffect) {
    const auto world = std::make_unique<World>("stories");
    std::mutex mutex;
    std::multiset<std::string> answers;
    int replayed = 0;
    at_once(20, [&](int) {
        const auto reply = world->run("createStory", R"({"title":"Fog"})", user("u1"), "key-1");
        const std::lock_guard lock(mutex);
        answers.insert(reply ? to_json(*reply->body) : reply.error().code);
        replayed += reply && reply->replayed ? 1 : 0;
    });
    EXPECT_EQ(answers.count(*answers.begin()), 20U);
    EXPECT_EQ(replayed, 19);
    const auto stories = world->query("stories", "{}", user("u1"));
    ASSERT_TRUE(stories);
    EXPECT_EQ(stories->items.size(), 1U);
    EXPECT_EQ(
        world->outcome("createStory", R"({"title":"Other"})", user("u1"), "key-1"),
        "IdempotencyKeyReused"
    );
    EXPECT_EQ(world->outcome("createStory", R"({"title":"Fog"})", user("u2"), "key-1"), "ok");
    // The record is kept for a day.
    world->clock.advance(25LL * 60 * 60 * 1000);
    EXPECT_EQ(world->outcome("createStory", R"({"title":"Other"})", user("u1"), "key-1"), "ok");
    EXPECT_EQ(
        world->outcome("createStory", R"({"title":"Fog"})", user("u1"), "bad key"),
        "ValidationFailed"
    );
}

TEST(StoriesTest, FailuresAreNotStored) {
    const auto world = world_with_story();
    const std::string restore = R"({"id":"s1"})";
    EXPECT_EQ(world->outcome("restoreStory", restore, user("u1"), "k"), "NotDeleted");
    EXPECT_EQ(world->outcome("deleteStory", restore, user("u1")), "ok");
    EXPECT_EQ(world->outcome("restoreStory", restore, user("u1"), "k"), "ok");
}

TEST(StoriesTest, AnythingAtOnceLeavesNothingBroken) {
    const auto world = std::make_unique<World>("stories");
    std::vector<std::string> ids;
    for (int at = 0; at < 3; ++at) {
        ids.push_back(id_of(world->run("createStory", R"({"title":"Fog"})", user("u1"))));
    }
    std::mutex mutex;
    std::set<std::string> outcomes;
    at_once(24, [&](int thread) {
        for (int round = 0; round < 6; ++round) {
            const auto id = ids[static_cast<std::size_t>((thread + round) % 3)];
            std::string outcome;
            switch ((thread * 7 + round) % 4) {
                case 0:
                    outcome = world->outcome(
                        "renameStory",
                        R"({"id":")" + id + R"(","title":"T)" + std::to_string(thread) + R"("})",
                        user("u1")
                    );
                    break;
                case 1:
                    outcome =
                        world->outcome("deleteStory", R"({"id":")" + id + R"("})", user("u1"));
                    break;
                case 2:
                    outcome =
                        world->outcome("restoreStory", R"({"id":")" + id + R"("})", user("u1"));
                    break;
                default:
                    outcome = world->outcome(
                        "addNode", R"({"storyId":")" + id + R"(","node":{}})", internal("u1")
                    );
            }
            const std::lock_guard lock(mutex);
            outcomes.insert(outcome);
        }
    });
    for (const auto& outcome : outcomes) {
        const std::set<std::string> expected{"ok", "unchanged", "StoryDeleted", "NotDeleted"};
        EXPECT_TRUE(expected.contains(outcome)) << outcome;
    }
    EXPECT_EQ(world->fsck(), "");
    const auto live = world->query("stories", "{}", user("u1"));
    const auto deleted = world->query("deletedStories", "{}", user("u1"));
    ASSERT_TRUE(live && deleted);
    EXPECT_EQ(live->items.size() + deleted->items.size(), 3U);
}

TEST(StoriesTest, ResponsesAreAppendedInOrder) {
    const auto world = world_with_story();
    EXPECT_EQ(world->outcome("addNode", R"({"storyId":"s1","node":{}})", internal("u1")), "ok");
    at_once(20, [&](int at) {
        EXPECT_EQ(
            world->outcome(
                "appendResponse",
                R"({"storyId":"s1","id":"n1","response":)" + std::to_string(at) + "}",
                user("u1")
            ),
            "ok"
        );
    });
    const auto node = world->get("node", R"({"storyId":"s1","id":"n1"})", user("u1"));
    ASSERT_TRUE(node);
    EXPECT_EQ(std::get<value::List>(node->item.at("responses").data).size(), 20U);
}

TEST(StoriesTest, FsckFindsDamage) {
    const auto world = world_with_story();
    world->put_raw(
        R"({"PK":"USER#u1","SK":"STORY#s9","ItemType":"StoryIndex","id":"s9","title":"x",)"
        R"("CreatedAt":"2025-03-01T10:20:30.400Z","UpdatedAt":"2025-03-01T10:20:30.400Z","deleted":false})"
    );
    world->put_raw(R"({"PK":"WHAT#1","SK":"X"})");
    const auto found = world->fsck();
    EXPECT_NE(
        found.find("orphan row {\"PK\":{\"S\":\"USER#u1\"},\"SK\":{\"S\":\"STORY#s9\"}}"),
        std::string::npos
    ) << found;
    EXPECT_NE(found.find("unknown item {\"PK\":{\"S\":\"WHAT#1\"}"), std::string::npos) << found;
}

}  // namespace
}  // namespace gateleg::model

// Lists: pages, cursors, filters, merges, loads.

#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

void add(World& world, int id, const std::string& more = "") {
    const auto arguments = R"({"userId":"u1","id":)" + std::to_string(id) + more + "}";
    ASSERT_EQ(world.outcome("add", arguments, internal()), "ok") << arguments;
}

// All ids of a pattern, page by page.
std::vector<int> walk(
    World& world,
    const std::string& pattern,
    const std::string& arguments,
    const Caller& caller,
    int limit
) {
    std::vector<int> ids;
    std::optional<std::string> cursor;
    do {
        const auto page = world.query(pattern, arguments, caller, limit, cursor);
        EXPECT_TRUE(page) << page.error().message;
        if (!page) {
            return ids;
        }
        // Every page is full while there is another.
        if (page->cursor) {
            EXPECT_EQ(page->items.size(), static_cast<std::size_t>(limit));
        }
        for (const auto& item : page->items) {
            ids.push_back(std::stoi(to_json(item.at("id"))));
        }
        cursor = page->cursor;
    } while (cursor);
    return ids;
}

TEST(PatternsTest, PagesAreFullAfterFiltering) {
    World world("notes");
    std::vector<int> expected;
    for (int id = 0; id < 60; ++id) {
        add(world, id, id % 5 == 0 ? "" : R"(,"public":false)");
        if (id % 5 == 0) {
            expected.push_back(id);
        }
    }
    EXPECT_EQ(walk(world, "notes", R"({"userId":"u1"})", user("u2"), 5), expected);
    EXPECT_EQ(walk(world, "notes", R"({"userId":"u1"})", user("u1"), 7).size(), 60U);
    EXPECT_EQ(walk(world, "publicOnly", R"({"userId":"u1"})", internal(), 4), expected);
    EXPECT_EQ(walk(world, "notes", R"({"userId":"u1"})", user("u1"), 60).size(), 60U);
}

TEST(PatternsTest, TheBudgetEndsAPage) {
    RuntimeOptions options;
    options.read_budget = 20;
    World world("notes", options);
    for (int id = 0; id < 60; ++id) {
        add(world, id, id == 59 ? "" : R"(,"public":false)");
    }
    std::optional<std::string> cursor;
    int pages = 0;
    std::size_t found = 0;
    bool partial = false;
    do {
        const auto page = world.query("notes", R"({"userId":"u1"})", user("u2"), 5, cursor);
        ASSERT_TRUE(page);
        partial |= page->partial;
        found += page->items.size();
        cursor = page->cursor;
        ++pages;
    } while (cursor && pages < 20);
    EXPECT_TRUE(partial);
    EXPECT_EQ(found, 1U);
    EXPECT_LT(pages, 6);
}

TEST(PatternsTest, CursorsCannotBeForged) {
    World world("notes");
    for (int id = 0; id < 10; ++id) {
        add(world, id);
    }
    const auto page = world.query("notes", R"({"userId":"u1"})", user("u1"), 3);
    ASSERT_TRUE(page && page->cursor);
    const auto use =
        [&](const std::string& cursor, const std::string& arguments, const Caller& caller) {
            const auto next = world.query("notes", arguments, caller, 3, cursor);
            return next ? std::string("ok") : next.error().code;
        };
    EXPECT_EQ(use(*page->cursor, R"({"userId":"u1"})", user("u1")), "ok");
    EXPECT_EQ(use(*page->cursor, R"({"userId":"u2"})", user("u1")), "InvalidCursor");
    EXPECT_EQ(use(*page->cursor, R"({"userId":"u1","from":2})", user("u1")), "InvalidCursor");
    EXPECT_EQ(use(*page->cursor, R"({"userId":"u1"})", user("u2")), "InvalidCursor");
    for (std::size_t at = 0; at < page->cursor->size(); ++at) {
        auto broken = *page->cursor;
        broken[at] = broken[at] == 'A' ? 'B' : 'A';
        EXPECT_EQ(use(broken, R"({"userId":"u1"})", user("u1")), "InvalidCursor") << at;
    }
    EXPECT_EQ(use("", R"({"userId":"u1"})", user("u1")), "InvalidCursor");
    EXPECT_EQ(use("%%%", R"({"userId":"u1"})", user("u1")), "InvalidCursor");
}

TEST(PatternsTest, RangesAndParameters) {
    World world("notes");
    for (int id = 0; id < 20; ++id) {
        add(world, id);
    }
    EXPECT_EQ(
        walk(world, "notes", R"({"userId":"u1","from":"5","to":8})", user("u1"), 2),
        (std::vector{5, 6, 7, 8})
    );
    EXPECT_EQ(
        walk(world, "notes", R"({"userId":"u1","from":18})", user("u1"), 2), (std::vector{18, 19})
    );
    EXPECT_EQ(
        walk(world, "notes", R"({"userId":"u1","to":1})", user("u1"), 5), (std::vector{0, 1})
    );
    EXPECT_EQ(world.query("notes", "{}", user("u1")).error().code, "ValidationFailed");
    EXPECT_EQ(
        world.query("notes", R"({"userId":"u1","x":1})", user("u1")).error().code, "UnknownField"
    );
    EXPECT_EQ(
        world.query("notes", R"({"userId":"u1"})", user("u1"), 0).error().code, "ValidationFailed"
    );
    EXPECT_EQ(
        world.query("notes", R"({"userId":"u1"})", user("u1"), 101).error().code, "ValidationFailed"
    );
    PatternCall call;
    call.arguments["userId"] = {std::string("u1")};
    call.descending = true;
    call.limit = 2;
    const auto page = world.runtime->query(*world.model->find_pattern("notes"), call, user("u1"));
    ASSERT_TRUE(page);
    EXPECT_EQ(to_json(page->items[0].at("id")), "19");
}

TEST(PatternsTest, MergedListsHaveOneOrderAndOneCursor) {
    World world("notes");
    const char* states[] = {"open", "done", "lost"};
    std::vector<int> expected;
    for (int id = 0; id < 50; ++id) {
        add(world, id, std::string(R"(,"state":")") + states[id * 7 % 3] + "\"");
        expected.push_back(id);
    }
    EXPECT_EQ(walk(world, "merged", R"({"userId":"u1"})", user("u1"), 7), expected);
    EXPECT_EQ(walk(world, "merged", R"({"userId":"u1"})", user("u1"), 1), expected);
    const auto count = world.query("open", R"({"userId":"u1"})", internal());
    ASSERT_TRUE(count && count->count);
    EXPECT_EQ(*count->count, 17);
}

TEST(PatternsTest, ExpiredItemsAreNotListed) {
    World world("notes");
    add(world, 1);
    add(world, 2, R"(,"ttl":"2025-03-01T10:20:30Z")");
    add(world, 3, R"(,"ttl":"2025-03-01T10:20:31Z")");
    EXPECT_EQ(walk(world, "notes", R"({"userId":"u1"})", user("u1"), 9), (std::vector{1, 3}));
    EXPECT_EQ(walk(world, "merged", R"({"userId":"u1"})", user("u1"), 9), (std::vector{1, 3}));
    world.clock.advance(1000);
    EXPECT_EQ(walk(world, "notes", R"({"userId":"u1"})", user("u1"), 9), (std::vector{1}));
}

TEST(PatternsTest, SeveralEntitiesReadNothingElse) {
    World world("notes");
    for (int id = 0; id < 5; ++id) {
        add(world, id);
        ASSERT_EQ(
            world.outcome(
                "addOther", R"({"userId":"u1","id":"o)" + std::to_string(id) + R"("})", internal()
            ),
            "ok"
        );
    }
    ASSERT_EQ(world.outcome("addEnds", R"({"owner":"u1"})", internal()), "ok");
    Explained explained;
    PatternCall call;
    call.arguments["userId"] = {std::string("u1")};
    const auto page =
        world.runtime->query(*world.model->find_pattern("mixed"), call, internal(), &explained);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->items.size(), 7U);
    EXPECT_EQ(page->kinds.front()->name, "Head");
    EXPECT_EQ(page->kinds.back()->name, "Tail");
    EXPECT_EQ(explained.calls.size(), 2U) << "HEAD to NOTE# in one, TAIL behind OTHER#";
}

}  // namespace
}  // namespace gateleg::model

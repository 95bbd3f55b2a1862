// Secondary indexes as clients see them.

#include <gtest/gtest.h>

#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

using dynamo::Select;

class IndexesTest : public testing::Test {
protected:
    IndexesTest() {
        auto request = new_table("t", {"pk", "sk"}, {"pk:S", "sk:N", "g:S", "h:N", "l:S"});
        request.global_indexes = {
            index_on("all", {"g"}, {"h"}),
            index_on("keys", {"g"}, {"h"}, keys_only()),
            index_on("some", {"g"}, {}, include({"a", "b"}))};
        request.local_indexes = {
            index_on("local-keys", {"pk"}, {"l"}, keys_only()),
            index_on("local-some", {"pk"}, {"l"}, include({"a"}))};
        must(engine.create(request));
    }

    std::vector<std::string> query(const std::string& index, std::string_view hash) {
        const bool local = index.starts_with("local");
        return json_of(must(engine.query(query_of(
                                "t",
                                index,
                                local ? "pk = :v" : "g = :v",
                                R"({":v":{"S":")" + std::string(hash) + "\"}}"
                            )))
                           .items);
    }

    TestEngine engine;
};

TEST_F(IndexesTest, ProjectionDecidesWhatAnIndexHolds) {
    const std::string whole =
        R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"2"},"l":{"S":"m"},)"
        R"("a":{"S":"A"},"b":{"L":[]},"c":{"S":"C"}})";
    must(engine.put("t", whole));
    using List = std::vector<std::string>;
    EXPECT_EQ(query("all", "x"), (List{normalized(whole)}));
    EXPECT_EQ(
        query("keys", "x"),
        (List{normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"2"}})")})
    );
    EXPECT_EQ(
        query("some", "x"),
        (List{
            normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"a":{"S":"A"},"b":{"L":[]}})"
            )})
    );
    EXPECT_EQ(
        query("local-keys", "p"),
        (List{normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"l":{"S":"m"}})")})
    );
    EXPECT_EQ(
        query("local-some", "p"),
        (List{normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"l":{"S":"m"},"a":{"S":"A"}})")})
    );
    expect_whole(engine, "t");
}

TEST_F(IndexesTest, ItemsWithoutTheIndexKeyAreNotInTheIndex) {
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"}})"));
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"2"},"g":{"S":"x"}})"));
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"3"},"g":{"S":"x"},"h":{"N":"1"}})"));
    EXPECT_EQ(query("all", "x").size(), 1U);
    EXPECT_EQ(query("some", "x").size(), 2U);
    EXPECT_TRUE(query("local-keys", "p").empty());
    expect_whole(engine, "t");
    must(engine.update(
        "t",
        R"({"pk":{"S":"p"},"sk":{"N":"2"}})",
        "SET h = :h, l = :l",
        {.values = R"({":h":{"N":"0"},":l":{"S":"z"}})"}
    ));
    EXPECT_EQ(query("all", "x").size(), 2U);
    must(engine.update("t", R"({"pk":{"S":"p"},"sk":{"N":"3"}})", "REMOVE g"));
    EXPECT_EQ(query("all", "x").size(), 1U);
    expect_whole(engine, "t");
}

TEST_F(IndexesTest, EntryMovesWithItsKey) {
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"1"}})"));
    must(engine.update(
        "t", R"({"pk":{"S":"p"},"sk":{"N":"1"}})", "SET g = :g", {.values = R"({":g":{"S":"y"}})"}
    ));
    EXPECT_TRUE(query("all", "x").empty());
    EXPECT_EQ(query("all", "y").size(), 1U);
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"y"},"h":{"N":"2"}})"));
    EXPECT_EQ(query("keys", "y").size(), 1U);
    must(engine.remove("t", R"({"pk":{"S":"p"},"sk":{"N":"1"}})"));
    EXPECT_TRUE(query("all", "y").empty());
    expect_whole(engine, "t");
}

TEST_F(IndexesTest, ItemsWithEqualIndexKeysAreAllThere) {
    for (int i = 0; i < 5; ++i) {
        must(engine.put(
            "t",
            R"({"pk":{"S":"p)" + std::to_string(i) +
                R"("},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"1"}})"
        ));
    }
    EXPECT_EQ(query("all", "x").size(), 5U);
    // One at a time, they come in the same order and none twice.
    auto request = query_of("t", "all", "g = :g", R"({":g":{"S":"x"}})");
    request.page.limit = 1;
    std::vector<std::string> paged;
    for (;;) {
        auto page = must(engine.query(request));
        for (auto& each : json_of(page.items)) {
            paged.push_back(std::move(each));
        }
        if (!page.last_evaluated_key) {
            break;
        }
        EXPECT_EQ(page.last_evaluated_key->view().count(), 4U);
        request.page.exclusive_start_key = std::move(page.last_evaluated_key);
    }
    EXPECT_EQ(paged, query("all", "x"));
}

TEST_F(IndexesTest, IndexKeysOfTheWrongTypeAreRefused) {
    EXPECT_EQ(
        error_of(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"N":"1"}})")).message,
        "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S "
        "Actual: N IndexName: all"
    );
    EXPECT_EQ(
        error_of(engine.update(
                     "t",
                     R"({"pk":{"S":"p"},"sk":{"N":"1"}})",
                     "SET h = :v",
                     {.values = R"({":v":{"S":"1"}})"}
                 ))
            .message,
        "The update expression attempted to update the secondary index key to unsupported type"
    );
    EXPECT_EQ(
        error_of(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":""}})")).code,
        ErrorCode::kValidation
    );
    EXPECT_TRUE(engine.scan_all("t").empty());
}

TEST_F(IndexesTest, LocalIndexFetchesWhatItDoesNotProject) {
    const std::string whole =
        R"({"pk":{"S":"p"},"sk":{"N":"1"},"l":{"S":"m"},"a":{"S":"A"},"c":{"M":{"d":{"S":"D"}}}})";
    must(engine.put("t", whole));
    auto request = query_of("t", "local-keys", "pk = :p", R"({":p":{"S":"p"}})");
    request.page.select = Select::kAllAttributes;
    request.page.return_capacity = ReturnCapacity::kIndexes;
    const auto all = must(engine.query(request));
    EXPECT_EQ(json_of(all.items), (std::vector<std::string>{normalized(whole)}));
    EXPECT_EQ(all.capacity->table_units, 0.5);
    EXPECT_EQ(all.capacity->local_indexes.at("local-keys"), 0.5);
    EXPECT_EQ(all.capacity->units, 1.0);

    request.page.select = Select::kUnset;
    request.page.projection = "a, c.d";
    const auto some = must(engine.query(request));
    EXPECT_EQ(
        json_of(some.items),
        (std::vector<std::string>{normalized(R"({"a":{"S":"A"},"c":{"M":{"d":{"S":"D"}}}})")})
    );
    EXPECT_EQ(some.capacity->units, 1.0);
    // A filter looks at the whole item, but does not show more of it.
    auto filtered = query_of("t", "local-keys", "pk = :p", R"({":p":{"S":"p"},":a":{"S":"A"}})");
    filtered.page.filter = "a = :a";
    EXPECT_EQ(
        json_of(must(engine.query(filtered)).items),
        (std::vector<std::string>{normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"l":{"S":"m"}})")})
    );
    filtered.page.filter = "a <> :a";
    EXPECT_EQ(must(engine.query(filtered)).count, 0);
    // What the index holds is not fetched.
    request.page.projection = "pk, l";
    EXPECT_EQ(must(engine.query(request)).capacity->units, 0.5);
}

TEST_F(IndexesTest, GlobalIndexGivesNoMoreThanItProjects) {
    auto request = query_of("t", "some", "g = :g", R"({":g":{"S":"x"}})");
    request.page.select = Select::kAllAttributes;
    EXPECT_EQ(
        error_of(engine.query(request)).message,
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        "for global secondary index some because its projection type is not ALL"
    );
    request.page.select = Select::kUnset;
    request.page.projection = "a, c, d";
    EXPECT_EQ(
        error_of(engine.query(request)).message,
        "One or more parameter values were invalid: Global secondary index some does not project "
        "[c, d]"
    );
    request.page.projection.reset();
    request.page.consistent_read = true;
    EXPECT_EQ(
        error_of(engine.query(request)).message,
        "Consistent reads are not supported on global secondary indexes"
    );
    request.page.index = "nowhere";
    EXPECT_EQ(
        error_of(engine.query(request)).message,
        "The table does not have the specified index: nowhere"
    );
}

TEST_F(IndexesTest, LocalIndexSortsByItsRangeInBothDirections) {
    for (const auto* sort : {"b", "ab", "a", "c"}) {
        must(engine.put(
            "t",
            R"({"pk":{"S":"p"},"l":{"S":")" + std::string(sort) + R"("},"sk":{"N":")" +
                std::to_string(sort[0]) + std::to_string(std::string_view(sort).size()) + "\"}}"
        ));
    }
    const auto order = [&](bool forward, std::string condition, std::string_view values) {
        auto request = query_of("t", "local-keys", std::move(condition), values);
        request.forward = forward;
        request.page.projection = "l";
        return json_of(must(engine.query(request)).items);
    };
    const auto l = [](const char* text) { return R"({"l":{"S":")" + std::string(text) + "\"}}"; };
    using List = std::vector<std::string>;
    EXPECT_EQ(
        order(true, "pk = :p", R"({":p":{"S":"p"}})"), (List{l("a"), l("ab"), l("b"), l("c")})
    );
    EXPECT_EQ(
        order(false, "pk = :p", R"({":p":{"S":"p"}})"), (List{l("c"), l("b"), l("ab"), l("a")})
    );
    EXPECT_EQ(
        order(true, "pk = :p AND begins_with(l, :l)", R"({":p":{"S":"p"},":l":{"S":"a"}})"),
        (List{l("a"), l("ab")})
    );
    EXPECT_EQ(
        order(
            false,
            "pk = :p AND l BETWEEN :l AND :m",
            R"({":p":{"S":"p"},":l":{"S":"ab"},":m":{"S":"b"}})"
        ),
        (List{l("b"), l("ab")})
    );
}

class ManyPartIndexTest : public testing::Test {
protected:
    ManyPartIndexTest() {
        auto request = new_table("t", {"pk"}, {"pk:S", "h1:S", "h2:N", "r1:S", "r2:N"});
        request.global_indexes = {index_on("many", {"h1", "h2"}, {"r1", "r2"})};
        must(engine.create(request));
        int number = 0;
        for (const auto* h1 : {"x", "y"}) {
            for (const int h2 : {1, 2}) {
                for (const auto* r1 : {"a", "b"}) {
                    for (const int r2 : {-10, 2, 10}) {
                        must(engine.put(
                            "t",
                            R"({"pk":{"S":"p)" + std::to_string(number++) + R"("},"h1":{"S":")" +
                                h1 + R"("},"h2":{"N":")" + std::to_string(h2) +
                                R"("},"r1":{"S":")" + r1 + R"("},"r2":{"N":")" +
                                std::to_string(r2) + "\"}}"
                        ));
                    }
                }
            }
        }
    }

    // "a -10, a 2": r1 and r2 of what the query finds.
    std::string found(std::string condition, std::string_view values) {
        const auto reply = engine.query(query_of("t", "many", std::move(condition), values));
        if (!reply) {
            return reply.error().message;
        }
        std::string text;
        for (const auto each : reply->items.items()) {
            text.append(text.empty() ? "" : ", ")
                .append(each.find("r1")->text())
                .append(" ")
                .append(each.find("r2")->text());
        }
        return text;
    }

    TestEngine engine;
};

TEST_F(ManyPartIndexTest, RangeAttributesAreComparedOneAfterTheOther) {
    const std::string hash = R"(":x":{"S":"x"},":o":{"N":"1"})";
    EXPECT_EQ(found("h1 = :x AND h2 = :o", "{" + hash + "}"), "a -10, a 2, a 10, b -10, b 2, b 10");
    EXPECT_EQ(
        found("h1 = :x AND h2 = :o AND r1 = :b", "{" + hash + R"(,":b":{"S":"b"}})"),
        "b -10, b 2, b 10"
    );
    EXPECT_EQ(
        found(
            "h1 = :x AND h2 = :o AND r1 = :b AND r2 > :t",
            "{" + hash + R"(,":b":{"S":"b"},":t":{"N":"0"}})"
        ),
        "b 2, b 10"
    );
    EXPECT_EQ(
        found("h1 = :x AND h2 = :o AND r1 > :a", "{" + hash + R"(,":a":{"S":"a"}})"),
        "b -10, b 2, b 10"
    );
}

TEST_F(ManyPartIndexTest, KeyConditionsMustFollowTheKey) {
    const std::string hash = R"(":x":{"S":"x"},":o":{"N":"1"})";
    EXPECT_EQ(
        found("h1 = :x", R"({":x":{"S":"x"}})"), "Query condition missed key schema element: h2"
    );
    EXPECT_EQ(found("h1 = :x AND h2 > :o", "{" + hash + "}"), "Query key condition not supported");
    EXPECT_EQ(
        found("h1 = :x AND h2 = :o AND r2 = :o", "{" + hash + "}"),
        "Query key condition not supported"
    );
    EXPECT_EQ(
        found("h1 = :x AND h2 = :o AND r1 > :x AND r2 = :o", "{" + hash + "}"),
        "Query key condition not supported"
    );
}

TEST_F(ManyPartIndexTest, AnyMissingPartLeavesTheItemOut) {
    must(engine.update("t", R"({"pk":{"S":"p0"}})", "REMOVE r2"));
    must(engine.update("t", R"({"pk":{"S":"p1"}})", "REMOVE h2"));
    EXPECT_EQ(
        found("h1 = :x AND h2 = :o", R"({":x":{"S":"x"},":o":{"N":"1"}})"), "a 10, b -10, b 2, b 10"
    );
    expect_whole(engine, "t");
}

TEST_F(ManyPartIndexTest, PagesCarryEveryKeyAttribute) {
    auto request =
        query_of("t", "many", "h1 = :x AND h2 = :o", R"({":x":{"S":"x"},":o":{"N":"1"}})");
    request.page.limit = 4;
    const auto page = must(engine.query(request));
    ASSERT_TRUE(page.last_evaluated_key);
    EXPECT_EQ(page.last_evaluated_key->view().count(), 5U);
    request.page.exclusive_start_key = page.last_evaluated_key;
    EXPECT_EQ(must(engine.query(request)).count, 2);
}

TEST_F(IndexesTest, ChangeOfIndexesThatFailsChangesNothing) {
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"1"}})"));
    dynamo::UpdateTableRequest request{.table = "t"};
    request.index_updates.emplace();
    request.index_updates->push_back({.remove = "all"});
    request.index_updates->push_back(
        {.update = dynamo::UpdateTableRequest::IndexThroughput{.name = "nowhere"}}
    );
    EXPECT_EQ(
        error_of(call(engine.dynamo(), &dynamo::Dynamo::update_table, request)).code,
        ErrorCode::kResourceNotFound
    );
    EXPECT_EQ(query("all", "x").size(), 1U);
    expect_whole(engine, "t");
}

TEST_F(IndexesTest, DroppedIndexIsGoneAndItsAttributesToo) {
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"1"}})"));
    for (const auto* name : {"all", "keys", "some"}) {
        dynamo::UpdateTableRequest request{.table = "t"};
        request.index_updates.emplace().push_back({.remove = name});
        must(call(engine.dynamo(), &dynamo::Dynamo::update_table, request));
    }
    const auto description = engine.describe("t");
    EXPECT_TRUE(description.global_indexes.empty());
    EXPECT_EQ(description.attributes.size(), 3U);  // pk, sk and l
    // g may be anything now.
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"N":"1"}})"));
    expect_whole(engine, "t");
}

}  // namespace
}  // namespace gateleg::engine

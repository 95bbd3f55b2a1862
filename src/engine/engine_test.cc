// Single items, tables, and what survives a restart.

#include "engine/engine.h"

#include <random>

#include <gtest/gtest.h>

#include "engine/keyspace.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

class EngineTest : public testing::Test {
protected:
    EngineTest() { must(engine.create(new_table("t", {"pk", "sk"}, {"pk:S", "sk:N"}))); }

    // The key of item `sort` in partition "p".
    static std::string key(int sort) {
        return R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(sort) + R"("}})";
    }

    TestEngine engine;
};

TEST_F(EngineTest, PutIsRead) {
    EXPECT_EQ(engine.get("t", key(1)), "");
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1.0"},"a":{"L":[{"NULL":true}]}})"));
    EXPECT_EQ(
        engine.get("t", key(1)),
        normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"L":[{"NULL":true}]}})")
    );
    EXPECT_EQ(engine.get("t", key(2)), "");
}

TEST_F(EngineTest, PutReplacesTheWholeItem) {
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"S":"x"}})"));
    must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"b":{"S":"y"}})"));
    EXPECT_EQ(
        engine.get("t", key(1)), normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"b":{"S":"y"}})")
    );
    EXPECT_EQ(engine.describe("t").item_count, 1);
}

TEST_F(EngineTest, DeleteRemovesAndDeletesOfNothingSucceed) {
    must(engine.put("t", key(1)));
    must(engine.remove("t", key(1)));
    must(engine.remove("t", key(1)));
    EXPECT_EQ(engine.get("t", key(1)), "");
    EXPECT_EQ(engine.describe("t").item_count, 0);
    EXPECT_EQ(engine.describe("t").size_bytes, 0);
}

TEST_F(EngineTest, UpdateCreatesAndChanges) {
    must(engine.update("t", key(1), "SET a = :v", {.values = R"({":v":{"N":"5"}})"}));
    must(engine.update("t", key(1), "ADD a :v", {.values = R"({":v":{"N":"2"}})"}));
    EXPECT_EQ(
        engine.get("t", key(1)), normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"N":"7"}})")
    );
    must(engine.update("t", key(1), "REMOVE a"));
    EXPECT_EQ(engine.get("t", key(1)), normalized(key(1)));
    must(engine.update("t", key(2), ""));
    EXPECT_EQ(engine.get("t", key(2)), normalized(key(2)));
}

TEST_F(EngineTest, RemoveAloneDoesNotCreateAnItem) {
    must(engine.update("t", key(1), "REMOVE a"));
    EXPECT_EQ(engine.get("t", key(1)), "");
    EXPECT_EQ(engine.describe("t").item_count, 0);
}

TEST_F(EngineTest, ReturnValuesOfPutAndDelete) {
    const std::string first = R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"S":"x"}})";
    EXPECT_FALSE(must(engine.put("t", first, {.returns = ReturnValues::kAllOld})).attributes);
    EXPECT_FALSE(must(engine.put("t", first)).attributes);
    const auto put = must(engine.put("t", key(1), {.returns = ReturnValues::kAllOld}));
    EXPECT_EQ(json_of(put.attributes), normalized(first));
    const auto removed = must(engine.remove("t", key(1), {.returns = ReturnValues::kAllOld}));
    EXPECT_EQ(json_of(removed.attributes), normalized(key(1)));
    EXPECT_FALSE(must(engine.remove("t", key(1), {.returns = ReturnValues::kAllOld})).attributes);
}

TEST_F(EngineTest, ReturnValuesOfUpdate) {
    const std::string before =
        R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"N":"1"},"b":{"S":"x"},"c":{"S":"y"}})";
    const auto updated = [&](ReturnValues returns) {
        must(engine.put("t", before));
        return json_of(must(engine.update(
                                "t",
                                key(1),
                                "SET a = a + :v, d = :v REMOVE b",
                                {.values = R"({":v":{"N":"1"}})", .returns = returns}
                            ))
                           .attributes);
    };
    EXPECT_EQ(updated(ReturnValues::kNone), "");
    EXPECT_EQ(updated(ReturnValues::kAllOld), normalized(before));
    EXPECT_EQ(
        updated(ReturnValues::kAllNew),
        normalized(R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"N":"2"},"c":{"S":"y"},"d":{"N":"1"}})")
    );
    EXPECT_EQ(updated(ReturnValues::kUpdatedOld), normalized(R"({"a":{"N":"1"},"b":{"S":"x"}})"));
    EXPECT_EQ(updated(ReturnValues::kUpdatedNew), normalized(R"({"a":{"N":"2"},"d":{"N":"1"}})"));
}

TEST_F(EngineTest, ReturnValuesOfAnUpdateThatCreates) {
    const auto created = [&](int sort, ReturnValues returns) {
        return json_of(must(engine.update(
                                "t",
                                key(sort),
                                "SET a = :v",
                                {.values = R"({":v":{"N":"1"}})", .returns = returns}
                            ))
                           .attributes);
    };
    EXPECT_EQ(created(1, ReturnValues::kAllOld), "");
    EXPECT_EQ(created(2, ReturnValues::kUpdatedOld), "");
    EXPECT_EQ(
        created(3, ReturnValues::kAllNew),
        normalized(R"({"pk":{"S":"p"},"sk":{"N":"3"},"a":{"N":"1"}})")
    );
    EXPECT_EQ(created(4, ReturnValues::kUpdatedNew), normalized(R"({"a":{"N":"1"}})"));
}

TEST_F(EngineTest, FailedConditionChangesNothing) {
    const std::string first = R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"N":"1"}})";
    const Extra unless_there{.condition = "attribute_not_exists(pk)"};
    must(engine.put("t", first, unless_there));
    const auto error = error_of(engine.put("t", key(1), unless_there));
    EXPECT_EQ(error.code, ErrorCode::kConditionalCheckFailed);
    EXPECT_EQ(error.message, "The conditional request failed");
    EXPECT_EQ(error.detail, nullptr);
    EXPECT_EQ(
        error_of(
            engine.remove("t", key(1), {.condition = "a > :v", .values = R"({":v":{"N":"1"}})"})
        )
            .code,
        ErrorCode::kConditionalCheckFailed
    );
    EXPECT_EQ(
        error_of(
            engine.update(
                "t",
                key(1),
                "SET a = :v",
                {.condition = "#a = :v", .values = R"({":v":{"N":"2"}})", .names = {{"#a", "a"}}}
            )
        ).code,
        ErrorCode::kConditionalCheckFailed
    );
    EXPECT_EQ(
        error_of(engine.update("t", key(2), "", {.condition = "attribute_exists(pk)"})).code,
        ErrorCode::kConditionalCheckFailed
    );
    EXPECT_EQ(engine.get("t", key(1)), normalized(first));
    EXPECT_EQ(engine.get("t", key(2)), "");
}

TEST_F(EngineTest, FailedConditionGivesTheItemWhenAsked) {
    must(engine.put("t", key(1)));
    const Extra extra{.condition = "attribute_exists(nothing)", .old_on_failure = true};
    const auto error = error_of(engine.remove("t", key(1), extra));
    const auto* detail = dynamic_cast<const dynamo::FailedItem*>(error.detail.get());
    ASSERT_NE(detail, nullptr);
    EXPECT_EQ(to_json(detail->item.view()), normalized(key(1)));
    EXPECT_EQ(error_of(engine.remove("t", key(2), extra)).detail, nullptr);
}

TEST_F(EngineTest, BadKeysAreRefused) {
    struct Case {
        const char* key;
        const char* message;
    };
    const std::string schema = "The provided key element does not match the schema";
    for (const auto* bad :
         {R"({"pk":{"S":"p"}})",
          R"({"pk":{"S":"p"},"sk":{"S":"1"}})",
          R"({"pk":{"S":"p"},"sk":{"N":"1"},"x":{"N":"1"}})"}) {
        EXPECT_EQ(error_of(engine.remove("t", bad)).message, schema) << bad;
    }
    EXPECT_EQ(
        error_of(engine.put("t", R"({"pk":{"S":"p"}})")).message,
        "One or more parameter values were invalid: Missing the key sk in the item"
    );
    EXPECT_EQ(
        error_of(engine.put("t", R"({"pk":{"S":"p"},"sk":{"S":"1"}})")).message,
        "One or more parameter values were invalid: Type mismatch for key sk expected: N actual: S"
    );
    EXPECT_EQ(
        error_of(engine.put("t", R"({"pk":{"S":""},"sk":{"N":"1"}})")).code, ErrorCode::kValidation
    );
    EXPECT_EQ(
        error_of(engine.update("t", key(1), "SET sk = :v", {.values = R"({":v":{"N":"1"}})"}))
            .message,
        "One or more parameter values were invalid: Cannot update attribute sk. This attribute is "
        "part of the key"
    );
}

TEST_F(EngineTest, ItemsOfMoreThan400KilobytesAreRefused) {
    const auto item_of_size = [&](std::size_t size) {
        // "pk" "p" "sk" and a small number take 2 + 1 + 2 + 2 bytes, "a" one more.
        return R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"S":")" + std::string(size - 8, 'x') +
               R"("}})";
    };
    must(engine.put("t", item_of_size(400 * 1024)));
    EXPECT_EQ(
        error_of(engine.put("t", item_of_size(400 * 1024 + 1))).message,
        "Item size has exceeded the maximum allowed size"
    );
    EXPECT_EQ(
        error_of(engine.update("t", key(1), "SET b = :v", {.values = R"({":v":{"S":""}})"}))
            .message,
        "Item size to update has exceeded the maximum allowed size"
    );
    EXPECT_EQ(engine.describe("t").size_bytes, 400 * 1024);
}

TEST_F(EngineTest, UnknownTableIsNotFound) {
    EXPECT_EQ(error_of(engine.put("nowhere", key(1))).code, ErrorCode::kResourceNotFound);
    EXPECT_EQ(
        error_of(engine.query(query_of("nowhere", "pk = :p", R"({":p":{"S":"p"}})"))).code,
        ErrorCode::kResourceNotFound
    );
    EXPECT_EQ(
        error_of(engine.transact({put_action("nowhere", key(1))})).code,
        ErrorCode::kResourceNotFound
    );
}

TEST_F(EngineTest, TableNamesAreUniqueAndListedInOrder) {
    EXPECT_EQ(
        error_of(engine.create(new_table("t", {"pk"}, {"pk:S"}))).code, ErrorCode::kResourceInUse
    );
    for (const auto* name : {"bbb", "aaa", "ccc"}) {
        EXPECT_EQ(
            must(engine.create(new_table(name, {"pk"}, {"pk:S"}))).table.status,
            dynamo::Status::kCreating
        );
        EXPECT_EQ(engine.describe(name).status, dynamo::Status::kActive);
    }
    const auto list = [&](std::optional<std::string> start, std::size_t limit) {
        return must(call(
            engine.dynamo(),
            &dynamo::Dynamo::list_tables,
            dynamo::ListTablesRequest{std::move(start), limit}
        ));
    };
    const auto page = list(std::nullopt, 2);
    EXPECT_EQ(page.names, (std::vector<std::string>{"aaa", "bbb"}));
    EXPECT_EQ(page.last_evaluated, "bbb");
    const auto rest = list("bbb", 2);
    EXPECT_EQ(rest.names, (std::vector<std::string>{"ccc", "t"}));
    EXPECT_FALSE(rest.last_evaluated);
}

TEST_F(EngineTest, DeletedTableLeavesNothingBehind) {
    auto request = new_table("gone", {"pk", "sk"}, {"pk:S", "sk:N", "g:S"});
    request.global_indexes = {index_on("by-g", {"g"}, {})};
    request.local_indexes = {index_on("local", {"pk"}, {"g"})};
    must(engine.create(request));
    must(call(
        engine.dynamo(),
        &dynamo::Dynamo::update_time_to_live,
        dynamo::UpdateTimeToLiveRequest{"gone", {.attribute = "e", .enabled = true}}
    ));
    std::vector<std::string> items;
    for (int i = 0; i < 100; ++i) {
        items.push_back(
            R"({"pk":{"S":"p"},"g":{"S":"x"},"e":{"N":"9999999999"},"sk":{"N":")" +
            std::to_string(i) + "\"}}"
        );
    }
    engine.load("gone", items);
    must(engine.put("t", key(1)));
    ASSERT_EQ(engine.scan_all("gone", "by-g").size(), 100U);
    const auto id = TableId{2};  // the second table of this store
    const auto rows = [&](const KeyRange& range) {
        const auto cursor =
            engine.store().cursor({.lower_bound = range.begin, .upper_bound = range.end});
        int count = 0;
        for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
            ++count;
        }
        return count;
    };
    ASSERT_EQ(rows(table_items_range(id)), 300);
    ASSERT_TRUE(happens_within(std::chrono::seconds(10), [&] {
        return rows(table_ttl_range(id)) == 100;
    }));
    const auto reply = must(call(
        engine.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{.table = "gone"}
    ));
    EXPECT_EQ(reply.table.status, dynamo::Status::kDeleting);
    EXPECT_EQ(rows(table_items_range(id)), 0);
    EXPECT_EQ(rows(table_ttl_range(id)), 0);
    std::string bytes;
    EXPECT_FALSE(*engine.store().get(counts_key(id), bytes));
    EXPECT_EQ(error_of(engine.put("gone", items[0])).code, ErrorCode::kResourceNotFound);
    // Made again under the same name, it is empty.
    must(engine.create(request));
    EXPECT_TRUE(engine.scan_all("gone").empty());
    EXPECT_EQ(engine.describe("gone").item_count, 0);
    EXPECT_EQ(engine.get("t", key(1)), normalized(key(1)));
}

TEST_F(EngineTest, ProtectedTableIsNotDeleted) {
    auto request = new_table("safe", {"pk"}, {"pk:S"});
    request.deletion_protection = true;
    must(engine.create(request));
    EXPECT_EQ(
        error_of(call(
                     engine.dynamo(),
                     &dynamo::Dynamo::delete_table,
                     dynamo::DeleteTableRequest{.table = "safe"}
                 ))
            .code,
        ErrorCode::kValidation
    );
    EXPECT_EQ(engine.describe("safe").name, "safe");
}

TEST_F(EngineTest, TagsAreKeptAndPaged) {
    const auto arn = engine.describe("t").arn;
    dynamo::Tags tags;
    for (int i = 10; i < 25; ++i) {
        tags["k" + std::to_string(i)] = "v";
    }
    must(call(engine.dynamo(), &dynamo::Dynamo::tag_resource, dynamo::TagResourceRequest{arn, tags})
    );
    must(call(
        engine.dynamo(),
        &dynamo::Dynamo::untag_resource,
        dynamo::UntagResourceRequest{arn, {"k10", "unknown"}}
    ));
    engine.reopen();
    std::vector<std::string> keys;
    dynamo::ListTagsOfResourceRequest request{.arn = arn};
    do {
        const auto page =
            must(call(engine.dynamo(), &dynamo::Dynamo::list_tags_of_resource, request));
        for (const auto& [tag, text] : page.tags) {
            keys.push_back(tag);
        }
        request.next_token = page.next_token;
    } while (request.next_token);
    ASSERT_EQ(keys.size(), 14U);
    EXPECT_EQ(keys.front(), "k11");
    EXPECT_EQ(keys.back(), "k24");
    EXPECT_EQ(
        error_of(call(
                     engine.dynamo(),
                     &dynamo::Dynamo::tag_resource,
                     dynamo::TagResourceRequest{
                         "arn:aws:dynamodb:us-east-1:999999999999:table/t", tags}
                 ))
            .code,
        ErrorCode::kAccessDenied
    );
}

TEST_F(EngineTest, CountsAreExactAfterRandomWrites) {
    auto request = new_table("counted", {"pk", "sk"}, {"pk:S", "sk:N", "g:S", "l:N"});
    request.global_indexes = {
        index_on("all", {"g"}, {"l"}), index_on("some", {"g"}, {}, include({"a"}))};
    request.local_indexes = {index_on("local", {"pk"}, {"l"}, keys_only())};
    must(engine.create(request));
    std::mt19937 random(1);
    const auto below = [&](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    for (int i = 0; i < 400; ++i) {
        const auto key_json = R"("pk":{"S":"p)" + std::to_string(below(3)) + R"("},"sk":{"N":")" +
                              std::to_string(below(12)) + "\"}";
        const int choice = below(4);
        if (choice == 0) {
            must(engine.remove("counted", "{" + key_json + "}"));
        } else if (choice == 1) {
            must(engine.update(
                "counted",
                "{" + key_json + "}",
                below(2) == 0 ? "SET g = :g, a = :a" : "SET a = :a, c = :g REMOVE g",
                {.values = R"({":g":{"S":"g)" + std::to_string(below(3)) + R"("},":a":{"S":")" +
                           std::string(static_cast<std::size_t>(below(40)), 'a') + "\"}}"}
            ));
        } else {
            auto json = "{" + key_json;
            if (below(3) > 0) {
                json += R"(,"g":{"S":"g)" + std::to_string(below(3)) + "\"}";
            }
            if (below(3) > 0) {
                json += R"(,"l":{"N":")" + std::to_string(below(1000)) + "\"}";
            }
            must(engine.put("counted", json + "}"));
        }
    }
    expect_whole(engine, "counted");
    engine.reopen();
    expect_whole(engine, "counted");
}

TEST(EngineOnDiskTest, ReopenKeepsEverything) {
    const storage::internal::TestDirectory directory;
    TestEngine engine({.directory = directory / "data", .durability = storage::Durability::kProcess}
    );
    auto request = new_table("t", {"pk"}, {"pk:S", "g:S"});
    request.global_indexes = {index_on("by-g", {"g"}, {}, keys_only())};
    request.tags = {{"a", "b"}};
    must(engine.create(request));
    const auto before = engine.describe("t");
    std::vector<std::string> items;
    for (int i = 0; i < 60; ++i) {
        items.push_back(
            R"({"pk":{"S":"p)" + std::to_string(i) + R"("},"g":{"S":"g"},"n":{"N":")" +
            std::to_string(i) + "\"}}"
        );
    }
    engine.load("t", items);
    must(engine.remove("t", R"({"pk":{"S":"p7"}})"));
    must(engine.transact({put_action("t", R"({"pk":{"S":"q"}})")}, "token", 5));

    engine.reopen();
    const auto after = engine.describe("t");
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.arn, before.arn);
    EXPECT_EQ(after.created_millis, before.created_millis);
    EXPECT_EQ(after.item_count, 60);
    ASSERT_EQ(after.global_indexes.size(), 1U);
    EXPECT_EQ(after.global_indexes[0].item_count, 59);
    EXPECT_EQ(engine.get("t", R"({"pk":{"S":"p7"}})"), "");
    EXPECT_EQ(engine.get("t", R"({"pk":{"S":"p8"}})"), normalized(items[8]));
    expect_whole(engine, "t");
    // The token is remembered as well.
    EXPECT_EQ(
        error_of(engine.transact({put_action("t", R"({"pk":{"S":"r"}})")}, "token", 6)).code,
        ErrorCode::kIdempotentParameterMismatch
    );
    // And a new table does not get the id of an old one.
    must(engine.create(new_table("other", {"pk"}, {"pk:S"})));
    EXPECT_TRUE(engine.scan_all("other").empty());
}

TEST(EngineShutdownTest, WritesAlreadySentAreStillMade) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    std::atomic<int> answered = 0;
    for (int i = 0; i < 500; ++i) {
        dynamo::PutItemRequest request;
        request.write.table = "t";
        request.item = item(R"({"pk":{"S":"p)" + std::to_string(i) + "\"}}");
        engine.dynamo().put_item(
            std::move(request),
            [&](const Result<dynamo::ItemWriteReply>& reply) { answered += reply ? 1 : 0; }
        );
    }
    engine.close_engine();
    EXPECT_EQ(answered, 500);
    engine.open_engine();
    EXPECT_EQ(engine.scan_all("t").size(), 500U);
}

}  // namespace
}  // namespace gateleg::engine

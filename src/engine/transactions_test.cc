// TransactWriteItems, TransactGetItems and the batch operations.

#include <gtest/gtest.h>

#include "engine/keyspace.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

class TransactionsTest : public testing::Test {
protected:
    TransactionsTest() {
        must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
        must(engine.create(new_table("u", {"pk"}, {"pk:S"})));
    }

    static std::string key(std::string_view pk) {
        return R"({"pk":{"S":")" + std::string(pk) + "\"}}";
    }
    static std::string item_with(std::string_view pk, int a) {
        return R"({"pk":{"S":")" + std::string(pk) + R"("},"a":{"N":")" + std::to_string(a) +
               "\"}}";
    }

    TestEngine engine;
};

TEST_F(TransactionsTest, AllActionsHappenTogether) {
    must(engine.put("t", item_with("a", 1)));
    must(engine.put("t", item_with("b", 2)));
    must(engine.put("u", item_with("c", 3)));
    must(engine.transact({
        put_action("t", item_with("new", 9)),
        update_action("t", key("a"), "SET a = a + :v", {.values = R"({":v":{"N":"10"}})"}),
        delete_action("t", key("b")),
        check_action("u", key("c"), {.condition = "a = :v", .values = R"({":v":{"N":"3"}})"}),
    }));
    EXPECT_EQ(engine.get("t", key("new")), normalized(item_with("new", 9)));
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 11)));
    EXPECT_EQ(engine.get("t", key("b")), "");
    EXPECT_EQ(engine.get("u", key("c")), normalized(item_with("c", 3)));
}

TEST_F(TransactionsTest, OneFailedConditionStopsEverythingAndReasonsKeepTheOrder) {
    must(engine.put("t", item_with("a", 1)));
    const auto error = error_of(engine.transact({
        put_action("t", item_with("x", 1)),
        put_action(
            "t",
            item_with("a", 2),
            {.condition = "attribute_not_exists(pk)", .old_on_failure = true}
        ),
        delete_action("t", key("nothing")),
        check_action("u", key("c"), {.condition = "attribute_exists(pk)", .old_on_failure = true}),
        update_action("u", key("z"), "SET b = a"),
    }));
    EXPECT_EQ(error.code, ErrorCode::kTransactionCanceled);
    EXPECT_EQ(
        error.message,
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, "
        "ConditionalCheckFailed, None, ConditionalCheckFailed, ValidationError]"
    );
    EXPECT_EQ(
        reasons_of(error),
        (std::vector<std::string>{
            "None", "ConditionalCheckFailed", "None", "ConditionalCheckFailed", "ValidationError"})
    );
    const auto* detail = dynamic_cast<const dynamo::CancellationReasons*>(error.detail.get());
    ASSERT_NE(detail, nullptr);
    EXPECT_EQ(json_of(detail->reasons[1].item), normalized(item_with("a", 1)));
    EXPECT_FALSE(detail->reasons[3].item);
    EXPECT_EQ(engine.get("t", key("x")), "");
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 1)));
    EXPECT_EQ(engine.describe("t").item_count, 1);
}

TEST_F(TransactionsTest, BadKeysAreReasonsToo) {
    const auto error = error_of(engine.transact({
        put_action("t", item_with("x", 1)),
        delete_action("t", R"({"wrong":{"S":"a"}})"),
    }));
    EXPECT_EQ(reasons_of(error), (std::vector<std::string>{"None", "ValidationError"}));
    EXPECT_EQ(engine.get("t", key("x")), "");
}

TEST_F(TransactionsTest, OneItemMayBeNamedOnlyOnce) {
    EXPECT_EQ(
        error_of(engine.transact({put_action("t", item_with("x", 1)), delete_action("t", key("x"))})
        )
            .message,
        "Transaction request cannot include multiple operations on one item"
    );
    must(engine.transact({put_action("t", item_with("x", 1)), put_action("u", item_with("x", 1))}));
}

TEST_F(TransactionsTest, RepeatedTokenIsAnsweredWithoutWritingAgain) {
    const auto add = [&](std::uint64_t hash) {
        return engine.transact(
            {update_action("t", key("a"), "ADD a :v", {.values = R"({":v":{"N":"1"}})"})},
            "token",
            hash
        );
    };
    must(add(7));
    must(add(7));
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 1)));
    // The same after a restart.
    engine.reopen();
    must(add(7));
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 1)));
    EXPECT_EQ(error_of(add(8)).code, ErrorCode::kIdempotentParameterMismatch);

    engine.clock().advance(599'000);
    must(add(7));
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 1)));
    engine.clock().advance(1'000);
    must(add(8));
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 2)));
    must(add(8));
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 2)));
}

TEST_F(TransactionsTest, TokenOfACancelledTransactionIsFree) {
    const auto put_if_absent = [&] {
        return engine.transact(
            {put_action("t", item_with("a", 2), {.condition = "attribute_not_exists(pk)"})},
            "token",
            1
        );
    };
    must(engine.put("t", item_with("a", 1)));
    EXPECT_EQ(error_of(put_if_absent()).code, ErrorCode::kTransactionCanceled);
    must(engine.remove("t", key("a")));
    must(put_if_absent());
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 2)));
}

TEST_F(TransactionsTest, OldTokensAreForgotten) {
    must(engine.transact({put_action("t", item_with("a", 1))}, "early", 1));
    engine.clock().advance(300'000);
    must(engine.transact({put_action("t", item_with("a", 1))}, "late", 1));
    engine.clock().advance(302'000);
    std::string bytes;
    EXPECT_TRUE(happens_within(std::chrono::seconds(10), [&] {
        return !*engine.store().get(token_key("early"), bytes);
    }));
    EXPECT_TRUE(*engine.store().get(token_key("late"), bytes));
    engine.clock().advance(300'000);
    const auto all = tokens_expired_before(INT64_MAX);
    EXPECT_TRUE(happens_within(std::chrono::seconds(10), [&] {
        const auto cursor =
            engine.store().cursor({.lower_bound = all.begin, .upper_bound = all.end});
        cursor->seek_to_first();
        return !cursor->valid();
    }));
    EXPECT_FALSE(*engine.store().get(token_key("late"), bytes));
}

TEST_F(TransactionsTest, TransactionsOfMoreThanFourMegabytesAreRefused) {
    std::vector<Action> actions;
    const std::string filler(390 * 1024, 'x');
    for (int i = 0; i < 11; ++i) {
        actions.push_back(put_action(
            "t", R"({"pk":{"S":"p)" + std::to_string(i) + R"("},"a":{"S":")" + filler + "\"}}"
        ));
    }
    EXPECT_EQ(error_of(engine.transact(actions)).code, ErrorCode::kValidation);
    EXPECT_TRUE(engine.scan_all("t").empty());
    actions.pop_back();
    must(engine.transact(actions));
}

TEST_F(TransactionsTest, GetReadsAllAtOneMomentAndKeepsTheOrder) {
    must(engine.put("t", item_with("a", 1)));
    must(engine.put("u", R"({"pk":{"S":"b"},"a":{"N":"2"},"c":{"S":"C"}})"));
    dynamo::TransactGetItemsRequest request;
    request.gets.push_back({.table = "u", .key = item(key("b")), .projection = "c"});
    request.gets.push_back({.table = "t", .key = item(key("nothing"))});
    request.gets.push_back({.table = "t", .key = item(key("a"))});
    request.return_capacity = ReturnCapacity::kTotal;
    const auto reply = must(call(engine.dynamo(), &dynamo::Dynamo::transact_get_items, request));
    ASSERT_EQ(reply.items.size(), 3U);
    EXPECT_EQ(json_of(reply.items[0]), normalized(R"({"c":{"S":"C"}})"));
    EXPECT_FALSE(reply.items[1]);
    EXPECT_EQ(json_of(reply.items[2]), normalized(item_with("a", 1)));
    ASSERT_EQ(reply.capacity.size(), 2U);
    EXPECT_EQ(reply.capacity[0].units, 4.0);
    EXPECT_EQ(reply.capacity[1].units, 2.0);

    request.gets[1].key = item(key("a"));
    EXPECT_EQ(
        error_of(call(engine.dynamo(), &dynamo::Dynamo::transact_get_items, request)).message,
        "Transaction request cannot include multiple operations on one item"
    );
    request.gets[1].key = item(R"({"wrong":{"S":"a"}})");
    EXPECT_EQ(
        reasons_of(error_of(call(engine.dynamo(), &dynamo::Dynamo::transact_get_items, request))),
        (std::vector<std::string>{"None", "ValidationError", "None"})
    );
}

TEST_F(TransactionsTest, TransactionsCostTwice) {
    must(engine.put("t", item_with("b", 1)));
    dynamo::TransactWriteItemsRequest request;
    request.return_capacity = ReturnCapacity::kTotal;
    request.client_request_token = "token";
    request.actions = {
        put_action("t", R"({"pk":{"S":"a"},"x":{"S":")" + std::string(1500, 'x') + "\"}}"),
        check_action("t", key("b"), {.condition = "attribute_exists(pk)"})};
    const auto written =
        must(call(engine.dynamo(), &dynamo::Dynamo::transact_write_items, request));
    ASSERT_EQ(written.capacity.size(), 1U);
    EXPECT_EQ(written.capacity[0].units, 6.0);
    EXPECT_EQ(written.capacity[0].kind, dynamo::ConsumedCapacity::Kind::kTransactWrite);
    const auto replayed =
        must(call(engine.dynamo(), &dynamo::Dynamo::transact_write_items, request));
    ASSERT_EQ(replayed.capacity.size(), 1U);
    EXPECT_EQ(replayed.capacity[0].kind, dynamo::ConsumedCapacity::Kind::kTransactRead);
}

TEST_F(TransactionsTest, BatchWritePutsAndDeletesInSeveralTables) {
    must(engine.put("t", item_with("old", 1)));
    dynamo::BatchWriteItemRequest request;
    request.tables.push_back(
        {.name = "t", .writes = {{item(item_with("a", 1)), false}, {item(key("old")), true}}}
    );
    request.tables.push_back({.name = "u", .writes = {{item(item_with("a", 2)), false}}});
    request.return_capacity = ReturnCapacity::kTotal;
    const auto reply = must(call(engine.dynamo(), &dynamo::Dynamo::batch_write_item, request));
    ASSERT_EQ(reply.capacity.size(), 2U);
    EXPECT_EQ(reply.capacity[0].units, 2.0);
    EXPECT_EQ(engine.get("t", key("a")), normalized(item_with("a", 1)));
    EXPECT_EQ(engine.get("t", key("old")), "");
    EXPECT_EQ(engine.get("u", key("a")), normalized(item_with("a", 2)));

    request.tables[0].writes = {{item(item_with("b", 1)), false}, {item(key("b")), true}};
    EXPECT_EQ(
        error_of(call(engine.dynamo(), &dynamo::Dynamo::batch_write_item, request)).message,
        "Provided list of item keys contains duplicates"
    );
    EXPECT_EQ(engine.get("t", key("b")), "");
}

TEST_F(TransactionsTest, BatchGetReadsSeveralTables) {
    must(engine.put("t", R"({"pk":{"S":"a"},"b":{"N":"1"},"c":{"N":"2"}})"));
    must(engine.put("u", item_with("a", 2)));
    dynamo::BatchGetItemRequest request;
    request.tables.push_back({.table = "t", .keys = {item(key("a")), item(key("no"))}});
    request.tables[0].projection = "c";
    request.tables.push_back({.table = "u", .keys = {item(key("a"))}, .consistent_read = true});
    request.return_capacity = ReturnCapacity::kTotal;
    const auto reply = must(call(engine.dynamo(), &dynamo::Dynamo::batch_get_item, request));
    ASSERT_EQ(reply.tables.size(), 2U);
    EXPECT_EQ(
        json_of(reply.tables[0].items), (std::vector<std::string>{normalized(R"({"c":{"N":"2"}})")})
    );
    EXPECT_EQ(
        json_of(reply.tables[1].items), (std::vector<std::string>{normalized(item_with("a", 2))})
    );
    EXPECT_TRUE(reply.unprocessed.empty());
    ASSERT_EQ(reply.capacity.size(), 2U);
    EXPECT_EQ(reply.capacity[0].units, 1.0);
    EXPECT_EQ(reply.capacity[1].units, 1.0);
    request.tables[0].keys.push_back(item(key("a")));
    EXPECT_EQ(
        error_of(call(engine.dynamo(), &dynamo::Dynamo::batch_get_item, request)).message,
        "Provided list of item keys contains duplicates"
    );
}

TEST_F(TransactionsTest, BatchGetStopsBeforeSixteenMegabytes) {
    constexpr std::size_t kLimit = 16 << 20;
    const std::string filler(390 * 1024, 'x');
    std::vector<std::string> items;
    dynamo::KeysAndAttributes wanted{.table = "t"};
    for (int i = 0; i < 50; ++i) {
        const auto pk = "p" + std::to_string(i);
        items.push_back(R"({"pk":{"S":")" + pk + R"("},"a":{"S":")" + filler + "\"}}");
        wanted.keys.push_back(item(key(pk)));
    }
    engine.load("t", items);
    wanted.projection = "#p";
    wanted.placeholders.names = Names{{"#p", "pk"}};
    wanted.consistent_read = true;
    dynamo::BatchGetItemRequest request{.tables = {wanted}};
    std::vector<std::string> found;
    int calls = 0;
    while (!request.tables.empty()) {
        ++calls;
        auto reply = must(call(engine.dynamo(), &dynamo::Dynamo::batch_get_item, request));
        ASSERT_EQ(reply.tables.size(), 1U);
        // Sizes are those of the whole items, whatever is projected.
        EXPECT_LE(reply.tables[0].items.size() * filler.size(), kLimit);
        EXPECT_FALSE(reply.tables[0].items.empty());
        for (auto& each : json_of(reply.tables[0].items)) {
            found.push_back(std::move(each));
        }
        if (!reply.unprocessed.empty()) {
            EXPECT_EQ(reply.unprocessed[0].table, "t");
            EXPECT_EQ(reply.unprocessed[0].projection, "#p");
            EXPECT_EQ(reply.unprocessed[0].placeholders.names, wanted.placeholders.names);
            EXPECT_TRUE(reply.unprocessed[0].consistent_read);
        }
        request.tables = std::move(reply.unprocessed);
    }
    EXPECT_EQ(calls, 2);
    std::set<std::string> distinct(found.begin(), found.end());
    EXPECT_EQ(found.size(), 50U);
    EXPECT_EQ(distinct.size(), 50U);
}

}  // namespace
}  // namespace gateleg::engine

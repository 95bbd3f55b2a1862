#include "emulate/emulated_aws.h"

#include <gtest/gtest.h>

#include "engine/test_engine.h"

namespace gateleg::emulate {
namespace {

using dynamo::Dynamo;
using engine::call;
using engine::item;
using engine::must;

constexpr const char* kTable = "things";

std::string key(int number) {
    return R"({"pk":{"S":")" + std::to_string(number) + R"("}})";
}

dynamo::BatchWriteItemRequest batch_of(int from, int to) {
    dynamo::BatchWriteItemRequest request;
    auto& table = request.tables.emplace_back();
    table.name = kTable;
    for (int number = from; number < to; ++number) {
        table.writes.push_back({item(key(number)), false});
    }
    return request;
}

class EmulatedAwsTest : public testing::Test {
protected:
    EmulatedAwsTest() { must(engine_.create(engine::new_table(kTable, {"pk"}, {"pk:S"}))); }

    std::size_t stored() { return engine_.scan_all(kTable).size(); }

    engine::TestEngine engine_;
};

TEST_F(EmulatedAwsTest, BatchesLeaveWritesThatSucceedWhenSentAgain) {
    EmulatedAws aws(engine_.dynamo(), 1);
    std::size_t left = 0;
    for (int batch = 0; batch < 20; ++batch) {
        auto request = batch_of(batch * 10, batch * 10 + 10);
        while (!request.tables.empty()) {
            const auto before = request.tables[0].writes.size();
            auto reply = must(call<dynamo::BatchWriteItemRequest>(
                aws, &Dynamo::batch_write_item, std::move(request)
            ));
            request = {};
            request.tables = std::move(reply.unprocessed);
            const auto after = request.tables.empty() ? 0 : request.tables[0].writes.size();
            EXPECT_LT(after, before) << "something is always done";
            left += after;
        }
    }
    EXPECT_GT(left, 0U);
    EXPECT_EQ(stored(), 200U);
}

TEST_F(EmulatedAwsTest, BatchesLeaveKeysUnread) {
    std::vector<std::string> items;
    for (int number = 0; number < 50; ++number) {
        items.push_back(key(number));
    }
    engine_.load(kTable, items);
    EmulatedAws aws(engine_.dynamo(), 1);
    std::size_t left = 0;
    for (int round = 0; round < 10; ++round) {
        dynamo::BatchGetItemRequest request;
        auto& table = request.tables.emplace_back();
        table.table = kTable;
        for (const auto& each : items) {
            table.keys.push_back(item(each));
        }
        const auto reply =
            must(call<dynamo::BatchGetItemRequest>(aws, &Dynamo::batch_get_item, std::move(request))
            );
        const auto unread = reply.unprocessed.empty() ? 0 : reply.unprocessed[0].keys.size();
        EXPECT_EQ(reply.tables[0].items.size() + unread, items.size());
        left += unread;
    }
    EXPECT_GT(left, 0U);
}

TEST_F(EmulatedAwsTest, TransactionsConflictAndChangeNothingThen) {
    EmulatedAws aws(engine_.dynamo(), 1);
    std::size_t done = 0;
    std::size_t conflicts = 0;
    for (int number = 0; number < 100; ++number) {
        const auto reply = call<dynamo::TransactWriteItemsRequest>(
            aws,
            &Dynamo::transact_write_items,
            {.actions =
                 {engine::put_action(kTable, key(number)),
                  engine::put_action(kTable, key(1000 + number))}}
        );
        if (reply) {
            done += 2;
            continue;
        }
        ++conflicts;
        EXPECT_EQ(reply.error().code, ErrorCode::kTransactionCanceled);
        const auto reasons = engine::reasons_of(reply.error());
        ASSERT_EQ(reasons.size(), 2U);
        EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "TransactionConflict"), 1);
        EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "None"), 1);
    }
    EXPECT_GT(conflicts, 0U);
    EXPECT_GT(done, 0U);
    EXPECT_EQ(stored(), done);
}

TEST_F(EmulatedAwsTest, SingleWritesConflictOnlyWhereThereAreTransactions) {
    EmulatedAws aws(engine_.dynamo(), 1, {.transaction_conflict = 0});
    const auto failures = [&] {
        std::size_t count = 0;
        for (int number = 0; number < 200; ++number) {
            const auto reply = call<dynamo::PutItemRequest>(
                aws, &Dynamo::put_item, {.write = {.table = kTable}, .item = item(key(number))}
            );
            if (!reply) {
                EXPECT_EQ(reply.error().code, ErrorCode::kTransactionConflict);
                ++count;
            }
        }
        return count;
    };
    EXPECT_EQ(failures(), 0U);
    must(call<dynamo::TransactWriteItemsRequest>(
        aws, &Dynamo::transact_write_items, {.actions = {engine::put_action(kTable, key(1))}}
    ));
    EXPECT_GT(failures(), 0U);
}

TEST_F(EmulatedAwsTest, TheSeedDecides) {
    const auto run = [&](std::uint64_t seed) {
        EmulatedAws aws(engine_.dynamo(), seed);
        std::vector<std::size_t> left;
        for (int batch = 0; batch < 30; ++batch) {
            const auto reply = must(
                call<dynamo::BatchWriteItemRequest>(aws, &Dynamo::batch_write_item, batch_of(0, 10))
            );
            left.push_back(reply.unprocessed.empty() ? 0 : reply.unprocessed[0].writes.size());
        }
        return left;
    };
    EXPECT_EQ(run(7), run(7));
    EXPECT_NE(run(7), run(8));
}

}  // namespace
}  // namespace gateleg::emulate

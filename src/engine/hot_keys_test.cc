// Which partitions are called most: the counting alone, and as the engine does it.

#include "engine/hot_keys.h"

#include <gtest/gtest.h>

#include "engine/keyspace.h"
#include "engine/test_engine.h"
#include "value/key_codec.h"

namespace gateleg::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const HotKeys::Time kStart{};

std::string key_in(std::string_view partition, unsigned index = 0, std::string_view sort = "s") {
    std::string hash;
    value::append_key_bytes(hash, partition);
    auto key = partition_prefix(TableId{7}, IndexId{static_cast<std::uint16_t>(index)}, hash);
    value::append_key_bytes(key, sort);
    return key;
}

TEST(PartitionNumberTest, IsThatOfThePartitionWhateverTheSortKey) {
    EXPECT_EQ(partition_number(key_in("a", 0, "1")), partition_number(key_in("a", 0, "2")));
    EXPECT_NE(partition_number(key_in("a")), partition_number(key_in("b")));
    EXPECT_NE(partition_number(key_in("a", 0)), partition_number(key_in("a", 1)));
    const auto key = key_in("a", 3);
    EXPECT_EQ(split_key(key).table, TableId{7});
    EXPECT_EQ(split_key(key).index, IndexId{3});
}

TEST(HotKeysTest, CountsReadsAndWritesOfAPartitionTogether) {
    HotKeys keys(kStart);
    for (int i = 0; i < 5; ++i) {
        keys.count(key_in("a", 0, std::to_string(i)), Access::kRead);
    }
    keys.count(key_in("a"), Access::kWrite);
    keys.count(key_in("b"), Access::kWrite);
    const auto report = keys.report(kStart + milliseconds(2500));
    ASSERT_EQ(report.seen.size(), 2U);
    EXPECT_EQ(report.seen[0].reads, 5U);
    EXPECT_EQ(report.seen[0].writes, 1U);
    EXPECT_EQ(report.seen[0].spare, 0U);
    EXPECT_EQ(report.seen[1].calls(), 1U);
    EXPECT_EQ(report.calls, 7U);
    EXPECT_EQ(report.covered, milliseconds(2500));
}

TEST(HotKeysTest, FindsTheHotOnesAmongMoreThanItHasPlacesFor) {
    HotKeys keys(kStart);
    for (int i = 0; i < 30'000; ++i) {
        keys.count(key_in("cold" + std::to_string(i)), Access::kRead);
        if (i % 10 == 0) {
            keys.count(key_in("hot"), Access::kWrite);
        }
        if (i % 20 == 0) {
            keys.count(key_in("warm"), Access::kWrite);
        }
    }
    const auto report = keys.report(kStart);
    ASSERT_LE(report.seen.size(), HotKeys::kSets * HotKeys::kWays);
    EXPECT_EQ(report.calls, 34'500U);
    ASSERT_GE(report.seen.size(), 2U);
    EXPECT_EQ(report.seen[0].key, key_in("hot"));
    EXPECT_EQ(report.seen[1].key, key_in("warm"));
    // Never more than there were, and what may be missing is said.
    EXPECT_LE(report.seen[0].writes, 3'000U);
    EXPECT_GE(report.seen[0].writes + report.seen[0].spare, 3'000U);
    EXPECT_GT(report.seen[0].writes, 2'800U);
}

TEST(HotKeysTest, ForgetsWhatIsTwoWindowsOld) {
    HotKeys keys(kStart);
    keys.count(key_in("a"), Access::kRead);
    keys.turn(kStart + seconds(10));  // not yet
    keys.count(key_in("a"), Access::kRead);
    keys.turn(kStart + seconds(30));
    EXPECT_EQ(keys.report(kStart + seconds(31)).seen.at(0).reads, 2U);
    keys.count(key_in("b"), Access::kRead);
    const auto both = keys.report(kStart + seconds(40));
    EXPECT_EQ(both.seen.size(), 2U);
    EXPECT_EQ(both.covered, seconds(40));
    keys.turn(kStart + seconds(60));
    const auto later = keys.report(kStart + seconds(61));
    ASSERT_EQ(later.seen.size(), 1U);
    EXPECT_EQ(later.seen[0].key, key_in("b"));
    EXPECT_EQ(later.covered, seconds(31));
    keys.turn(kStart + seconds(90));
    EXPECT_TRUE(keys.report(kStart + seconds(91)).seen.empty());
    keys.count(key_in("c"), Access::kRead);
    EXPECT_EQ(keys.report(kStart + seconds(92)).seen.size(), 1U);
}

TEST(HotKeysTest, AddsUpWhatThreadsCounted) {
    HotKeys keys(kStart);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 1000; ++n) {
                keys.count(key_in("a"), Access::kWrite);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    const auto report = keys.report(kStart);
    ASSERT_EQ(report.seen.size(), 1U);
    EXPECT_EQ(report.seen[0].writes, 4000U);
}

TEST(HotKeysTest, TwoOnOneThreadStayApart) {
    HotKeys one(kStart);
    HotKeys two(kStart);
    for (int i = 0; i < 3; ++i) {
        one.count(key_in("a"), Access::kRead);
        two.count(key_in("b"), Access::kRead);
    }
    EXPECT_EQ(one.report(kStart).seen.at(0).reads, 3U);
    EXPECT_EQ(two.report(kStart).calls, 3U);
}

class EngineHotKeysTest : public testing::Test {
protected:
    EngineHotKeysTest() {
        auto table = new_table("t", {"pk", "sk"}, {"pk:S", "sk:N", "kind:S"});
        table.global_indexes = {index_on("by-kind", {"kind"}, {})};
        must(engine.create(std::move(table)));
        must(engine.create(new_table("other", {"id"}, {"id:N"})));
    }

    // "t/by-kind {...} 2r 1w" for each.
    std::vector<std::string> hot(dynamo::HotKeysRequest request = {}) {
        const auto reply =
            dynamic_cast<const dynamo::HotKeyReader&>(engine.dynamo()).read_hot_keys(request);
        std::vector<std::string> lines;
        for (const auto& each : reply.keys) {
            lines.push_back(
                each.table + (each.index ? "/" + *each.index : "") + " " +
                to_json(each.key.view()) + " " + std::to_string(each.reads) + "r " +
                std::to_string(each.writes) + "w"
            );
        }
        return lines;
    }

    TestEngine engine;
};

TEST_F(EngineHotKeysTest, NamesPartitionsOfTablesAndIndexes) {
    const std::string item = R"({"pk":{"S":"p"},"sk":{"N":"1"},"kind":{"S":"k"}})";
    must(engine.put("t", item));
    for (int i = 0; i < 3; ++i) {
        engine.get("t", R"({"pk":{"S":"p"},"sk":{"N":"1"}})");
    }
    must(engine.put("other", R"({"id":{"N":"-12.5"}})"));
    dynamo::QueryRequest query;
    query.page.table = "t";
    query.page.index = "by-kind";
    query.page.placeholders = placeholders(R"({":k":{"S":"k"}})");
    query.key_condition = "kind = :k";
    must(engine.query(std::move(query)));
    EXPECT_EQ(
        hot(),
        (std::vector<std::string>{
            R"(t {"pk":{"S":"p"}} 3r 1w)",
            R"(t/by-kind {"kind":{"S":"k"}} 1r 1w)",
            R"(other {"id":{"N":"-12.5"}} 0r 1w)"})
    );
    EXPECT_EQ(hot({.table = "other"}).size(), 1U);
    EXPECT_EQ(hot({.limit = 1}).size(), 1U);
}

TEST_F(EngineHotKeysTest, LeavesOutTablesThatAreGone) {
    must(engine.put("other", R"({"id":{"N":"1"}})"));
    must(call(
        engine.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{.table = "other"}
    ));
    EXPECT_TRUE(hot().empty());
}

}  // namespace
}  // namespace gateleg::engine

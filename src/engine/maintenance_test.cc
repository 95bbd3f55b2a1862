// What happens without a request: index builds and the end of items' time to live.

#include "engine/maintenance.h"

#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "engine/keyspace.h"
#include "engine/test_engine.h"
#include "storage/internal/hooks.h"

namespace gateleg::engine {
namespace {

using std::chrono::seconds;

constexpr auto kNow = TestEngine::kStartSeconds;

dynamo::UpdateTableRequest adding(
    std::string table, dynamo::IndexDefinition index, const std::vector<std::string>& attributes
) {
    dynamo::UpdateTableRequest request{.table = std::move(table)};
    request.attributes = new_table("", {}, attributes).attributes;
    request.index_updates.emplace().push_back({.create = std::move(index)});
    return request;
}

dynamo::UpdateTableRequest dropping(std::string table, std::string index) {
    dynamo::UpdateTableRequest request{.table = std::move(table)};
    request.index_updates.emplace().push_back({.remove = std::move(index)});
    return request;
}

Result<dynamo::TableReply> update(TestEngine& engine, dynamo::UpdateTableRequest request) {
    return call(engine.dynamo(), &dynamo::Dynamo::update_table, std::move(request));
}

std::string numbered(int number, std::string_view more = "") {
    return R"({"pk":{"S":"p)" + std::to_string(number) + "\"}" + std::string(more) + "}";
}

std::vector<std::string> numbered_items(int count) {
    std::vector<std::string> items;
    for (int i = 0; i < count; ++i) {
        // Every fifth lacks the key, and every seventh has it in another type.
        const auto g = R"(,"g":{"S":"g)" + std::to_string(i % 3) + R"("},"a":{"N":"1"})";
        items.push_back(numbered(i, i % 5 == 0 ? "" : i % 7 == 0 ? R"(,"g":{"N":"1"})" : g));
    }
    return items;
}

int rows(const storage::Store& store, const KeyRange& range) {
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    int count = 0;
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        ++count;
    }
    return count;
}

TEST(IndexBuildTest, NewIndexHoldsWhatWasThereBefore) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    engine.load("t", numbered_items(700));
    const auto reply =
        must(update(engine, adding("t", index_on("by-g", {"g"}, {}, include({"a"})), {"g:S"})));
    ASSERT_EQ(reply.table.global_indexes.size(), 1U);
    EXPECT_EQ(reply.table.global_indexes[0].status, dynamo::Status::kCreating);
    ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
    EXPECT_EQ(engine.scan_all("t", "by-g").size(), 480U);
    expect_whole(engine, "t");
    engine.reopen();
    expect_whole(engine, "t");
}

TEST(IndexBuildTest, OneIndexAtATimeAndNoneIsReadBeforeItIsBuilt) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    engine.load("t", numbered_items(300));
    auto two = adding("t", index_on("one", {"g"}, {}), {"g:S"});
    two.index_updates->push_back({.create = index_on("two", {"g"}, {})});
    EXPECT_EQ(error_of(update(engine, two)).code, ErrorCode::kLimitExceeded);
    must(update(engine, adding("t", index_on("by-g", {"g"}, {}), {"g:S"})));
    dynamo::ScanRequest request;
    request.page.table = "t";
    request.page.index = "by-g";
    if (const auto early = engine.scan(request); !early) {
        EXPECT_EQ(
            early.error().message, "Cannot read from backfilling global secondary index: by-g"
        );
    }
    ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
    EXPECT_EQ(
        error_of(update(engine, adding("t", index_on("by-g", {"g"}, {}), {"g:S"}))).code,
        ErrorCode::kValidation
    );
}

TEST(IndexBuildTest, WritersMayGoOnMeanwhile) {
    TestEngine engine;
    constexpr int kItems = 1500;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    engine.load("t", numbered_items(kItems));
    std::atomic<bool> stop = false;
    std::vector<std::jthread> writers;
    for (unsigned seed = 1; seed <= 2; ++seed) {
        writers.emplace_back([&, seed] {
            std::mt19937 random(seed);
            while (!stop) {
                const auto number = static_cast<int>(random() % kItems);
                const auto g = R"({":g":{"S":"g)" + std::to_string(random() % 4) + "\"}}";
                switch (random() % 4) {
                    case 0:
                        (void)engine.remove("t", numbered(number));
                        break;
                    case 1:
                        (void)engine.update("t", numbered(number), "SET g = :g", {.values = g});
                        break;
                    case 2:
                        (void)engine.update("t", numbered(number), "REMOVE g");
                        break;
                    default:
                        (void
                        )engine.put("t", numbered(number, R"(,"g":{"S":"new"},"a":{"S":"abc"})"));
                }
            }
        });
    }
    must(update(engine, adding("t", index_on("first", {"g"}, {}, include({"a"})), {"g:S"})));
    EXPECT_TRUE(engine.wait_for_index("t", "first"));
    must(update(engine, adding("t", index_on("second", {"g"}, {"pk"}), {"g:S"})));
    EXPECT_TRUE(engine.wait_for_index("t", "second"));
    stop = true;
    writers.clear();
    expect_whole(engine, "t");
}

// An index left half built, as if the process had been killed, with rows of its own in the store.
void leave_half_built(TestEngine& engine) {
    auto request = new_table("t", {"pk"}, {"pk:S", "g:S"});
    request.global_indexes = {index_on("by-g", {"g"}, {}, include({"a"}))};
    must(engine.create(request));
    std::vector<std::string> items;
    for (int i = 0; i < 600; ++i) {
        items.push_back(numbered(i, R"(,"g":{"S":"x"},"a":{"N":"1"})"));
    }
    engine.load("t", items);
    engine.close_engine();
    std::string bytes;
    ASSERT_TRUE(*engine.store().get(table_definition_key("t"), bytes));
    auto table = *decode_table(bytes);
    table.indexes[0].backfilling = true;
    storage::WriteBatch batch;
    batch.put(table_definition_key("t"), encode_table(table));
    // An entry whose item has been deleted since.
    const auto gone = item(numbered(9999, R"(,"g":{"S":"x"})"));
    batch.put(
        *index_entry_key(table, table.indexes[0], gone.view(), item_key(table, gone.view())),
        gone.bytes()
    );
    // Items that were not reached yet.
    for (int i = 0; i < 100; ++i) {
        const auto unreached = item(items[static_cast<std::size_t>(i)]);
        batch.erase(*index_entry_key(
            table, table.indexes[0], unreached.view(), item_key(table, unreached.view())
        ));
    }
    ASSERT_TRUE(engine.store().write(batch));
}

TEST(IndexBuildTest, InterruptedBuildStartsAgainOnReopen) {
    TestEngine engine;
    leave_half_built(engine);
    engine.open_engine();
    must(engine.put("t", numbered(7777, R"(,"g":{"S":"x"})")));
    must(engine.remove("t", numbered(3)));
    ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
    EXPECT_EQ(engine.scan_all("t", "by-g").size(), 600U);
    expect_whole(engine, "t");
}

TEST(IndexBuildTest, ClosingInTheMiddleLosesNothing) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    engine.load("t", numbered_items(1200));
    must(update(engine, adding("t", index_on("by-g", {"g"}, {}), {"g:S"})));
    const auto range = index_range(TableId{1}, IndexId{1});
    ASSERT_TRUE(happens_within(seconds(10), [&] { return rows(engine.store(), range) > 0; }));
    engine.reopen();
    must(engine.remove("t", numbered(1)));
    must(engine.put("t", numbered(2, R"(,"g":{"S":"later"})")));
    ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
    expect_whole(engine, "t");
}

TEST(IndexBuildTest, BuildGoesOnWhereItWasWhenTheDiskHasSpaceAgain) {
    const storage::internal::TestDirectory directory;
    std::atomic<std::uint64_t> free_bytes = 500'000'000'000;
    auto hooks = std::make_shared<storage::internal::Hooks>();
    hooks->tick = std::chrono::milliseconds(2);
    hooks->disk_space = [&] {
        return storage::internal::DiskSpace{free_bytes.load(), 1'000'000'000'000};
    };
    TestEngine engine(
        {.directory = directory / "data",
         .durability = storage::Durability::kProcess,
         .hooks = hooks}
    );
    leave_half_built(engine);
    free_bytes = 0;
    ASSERT_TRUE(happens_within(seconds(10), [&] {
        return engine.store().health() == storage::Health::kDiskLow;
    }));
    engine.open_engine();
    // The leftovers go, for that takes no space; pages of entries are refused, more than once.
    const auto range = index_range(TableId{1}, IndexId{1});
    ASSERT_TRUE(happens_within(seconds(10), [&] { return rows(engine.store(), range) == 0; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_FALSE(engine.index_is_active("t", "by-g"));
    free_bytes = 500'000'000'000;
    ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
    expect_whole(engine, "t");
}

TEST(IndexBuildTest, TableMayBeDeletedDuringABuild) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    engine.load("t", numbered_items(1000));
    must(update(engine, adding("t", index_on("by-g", {"g"}, {}), {"g:S"})));
    const auto range = index_range(TableId{1}, IndexId{1});
    ASSERT_TRUE(happens_within(seconds(10), [&] { return rows(engine.store(), range) > 0; }));
    must(call(engine.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{"t"}));
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(rows(engine.store(), table_items_range(TableId{1})), 0);
    EXPECT_TRUE(engine.scan_all("t").empty());
}

TEST(IndexBuildTest, IndexIsDroppedWholeOnceItIsBuilt) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    engine.load("t", numbered_items(1000));
    must(update(engine, adding("t", index_on("by-g", {"g"}, {}), {"g:S"})));
    // Too early, unless the build was quicker.
    if (const auto early = update(engine, dropping("t", "by-g")); !early) {
        EXPECT_EQ(early.error().code, ErrorCode::kResourceInUse);
        ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
        expect_whole(engine, "t");
        must(update(engine, dropping("t", "by-g")));
    }
    EXPECT_EQ(rows(engine.store(), index_range(TableId{1}, IndexId{1})), 0);
    EXPECT_TRUE(engine.describe("t").global_indexes.empty());
    // The next one under this name starts from nothing and is whole.
    must(update(engine, adding("t", index_on("by-g", {"g"}, {}), {"g:S"})));
    ASSERT_TRUE(engine.wait_for_index("t", "by-g"));
    expect_whole(engine, "t");
}

class TimeToLiveTest : public testing::Test {
protected:
    TimeToLiveTest() {
        auto request = new_table("t", {"pk"}, {"pk:S", "g:S"});
        request.global_indexes = {index_on("by-g", {"g"}, {})};
        must(engine.create(request));
    }

    Result<dynamo::TimeToLiveSpecification> set_ttl(std::string attribute, bool enabled) {
        return call(
            engine.dynamo(),
            &dynamo::Dynamo::update_time_to_live,
            dynamo::UpdateTimeToLiveRequest{
                "t", {.attribute = std::move(attribute), .enabled = enabled}}
        );
    }
    // Enabled, and with the entries of what was there before.
    void enable() {
        must(set_ttl("e", true));
        ASSERT_TRUE(happens_within(seconds(10), [&] {
            std::string bytes;
            return *engine.store().get(table_definition_key("t"), bytes) &&
                   !decode_table(bytes)->ttl_backfilling;
        }));
    }
    void put(int number, std::int64_t expiry) {
        must(engine.put("t", numbered(number, with_expiry(std::to_string(expiry)))));
    }
    static std::string with_expiry(const std::string& number) {
        return R"(,"g":{"S":"x"},"e":{"N":")" + number + "\"}";
    }
    bool comes_down_to(std::size_t items) {
        return happens_within(seconds(10), [&] { return engine.scan_all("t").size() == items; });
    }

    TestEngine engine;
};

TEST_F(TimeToLiveTest, ItemsGoWhenTheirTimeIsOver) {
    enable();
    put(1, kNow + 10);
    put(2, kNow + 100);
    must(engine.put("t", numbered(3, R"(,"g":{"S":"x"})")));
    must(engine.put("t", numbered(4, R"(,"g":{"S":"x"},"e":{"S":"1"})")));
    must(engine.put("t", numbered(5, with_expiry("-5"))));
    must(engine.put("t", numbered(6, with_expiry(std::to_string(kNow + 10) + ".9"))));
    engine.clock().advance(5'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_EQ(engine.scan_all("t").size(), 6U);
    engine.clock().advance(6'000);
    ASSERT_TRUE(comes_down_to(4));
    EXPECT_EQ(engine.get("t", numbered(1)), "");
    EXPECT_EQ(engine.get("t", numbered(6)), "");
    EXPECT_EQ(engine.scan_all("t", "by-g").size(), 4U);
    engine.clock().advance(100'000);
    ASSERT_TRUE(comes_down_to(3));
    expect_whole(engine, "t");
    EXPECT_EQ(rows(engine.store(), table_ttl_range(TableId{1})), 0);
}

TEST_F(TimeToLiveTest, ChangedExpiryIsHonoured) {
    enable();
    put(1, kNow + 10);
    put(2, kNow + 10);
    put(3, kNow + 1000);
    put(4, kNow + 10);
    must(engine.update(
        "t",
        numbered(1),
        "SET e = :e",
        {.values = R"({":e":{"N":")" + std::to_string(kNow + 500) + "\"}}"}
    ));
    must(engine.update("t", numbered(2), "REMOVE e"));
    put(3, kNow + 20);
    must(engine.remove("t", numbered(4)));
    EXPECT_EQ(rows(engine.store(), table_ttl_range(TableId{1})), 2);
    engine.clock().advance(50'000);
    ASSERT_TRUE(comes_down_to(2));
    EXPECT_NE(engine.get("t", numbered(1)), "");
    EXPECT_NE(engine.get("t", numbered(2)), "");
    engine.clock().advance(500'000);
    ASSERT_TRUE(comes_down_to(1));
    expect_whole(engine, "t");
}

TEST_F(TimeToLiveTest, ItemsMoreThanFiveYearsOverdueStay) {
    constexpr std::int64_t kFiveYears = std::int64_t{5} * 365 * 24 * 3600;
    enable();
    put(1, kNow - kFiveYears - 10);
    put(2, kNow - kFiveYears + 1000);
    put(3, 0);
    ASSERT_TRUE(comes_down_to(2));
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    EXPECT_NE(engine.get("t", numbered(1)), "");
    EXPECT_NE(engine.get("t", numbered(3)), "");
    expect_whole(engine, "t");
}

TEST_F(TimeToLiveTest, ItemsFromBeforeItWasEnabledGoToo) {
    std::vector<std::string> items;
    for (int i = 0; i < 600; ++i) {
        items.push_back(numbered(i, with_expiry(std::to_string(kNow + (i % 2 == 0 ? -10 : 1000)))));
    }
    engine.load("t", items);
    must(set_ttl("e", true));
    ASSERT_TRUE(comes_down_to(300));
    expect_whole(engine, "t");
    engine.reopen();
    engine.clock().advance(2'000'000);
    ASSERT_TRUE(comes_down_to(0));
    expect_whole(engine, "t");
}

TEST_F(TimeToLiveTest, NothingGoesOnceItIsDisabled) {
    enable();
    EXPECT_EQ(error_of(set_ttl("e", true)).message, "TimeToLive is already enabled");
    put(1, kNow + 10);
    EXPECT_EQ(
        error_of(set_ttl("f", false)).message,
        "TimeToLive is active on a different AttributeName: current AttributeName is e"
    );
    must(set_ttl("e", false));
    EXPECT_EQ(error_of(set_ttl("e", false)).message, "TimeToLive is already disabled");
    EXPECT_EQ(rows(engine.store(), table_ttl_range(TableId{1})), 0);
    engine.clock().advance(100'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_NE(engine.get("t", numbered(1)), "");
    must(set_ttl("e", true));
    EXPECT_TRUE(comes_down_to(0));
}

}  // namespace
}  // namespace gateleg::engine

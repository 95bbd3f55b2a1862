#include "storage/internal/row_cache.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/internal/rocksdb_options.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

using internal::RowCache;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

class RowCacheTest : public testing::Test {
protected:
    // Empty: nothing is found.
    std::string find(std::string_view key) {
        std::string value;
        RowCache::Miss miss;
        return rows_.find(key, value, miss) ? value : "";
    }
    RowCache::Miss miss(std::string_view key) {
        std::string value;
        RowCache::Miss miss;
        EXPECT_FALSE(rows_.find(key, value, miss)) << key;
        return miss;
    }
    void keep(std::string_view key, std::string_view value) {
        miss(key);
        rows_.keep(key, value, miss(key));
    }

    // It sees now and then how full the cache is.
    void fill() {
        EXPECT_TRUE(cache_->Insert("block", nullptr, 15 * kMegabyte / 2, nullptr).ok());
        for (int i = 0; i < 1024; ++i) {
            rows_.wants_block();
        }
    }

    static RowCache::Touched touched(std::string_view key) {
        RowCache::Touched touched;
        touched.add(key);
        return touched;
    }

    std::shared_ptr<rocksdb::Cache> cache_ = internal::make_block_cache(8 * kMegabyte);
    RowCache rows_{cache_};
};

TEST_F(RowCacheTest, KeepsRowsUntilTheyAreWritten) {
    keep("a", "1");
    keep("b", "2");
    EXPECT_EQ(find("a"), "1");
    const auto changes = touched("a");
    { const RowCache::Write write(rows_, changes); }
    EXPECT_EQ(find("a"), "");
    EXPECT_EQ(find("b"), "2");
    keep("a", "3");
    EXPECT_EQ(find("a"), "3");
}

TEST_F(RowCacheTest, KeepsAllThereIsRoomForAndThenWhatIsAskedForTwice) {
    rows_.keep("a", "1", miss("a"));
    EXPECT_EQ(find("a"), "1");
    fill();
    rows_.keep("b", "2", miss("b"));
    rows_.keep("b", "2", miss("b"));
    EXPECT_EQ(find("b"), "2");
    rows_.keep("c", "3", miss("c"));
    EXPECT_EQ(find("c"), "");
}

TEST_F(RowCacheTest, TellsWhetherARowIsWhatItWas) {
    const auto counts = miss("a").counts;
    EXPECT_TRUE(rows_.is_newest("a", counts));
    EXPECT_FALSE(rows_.is_newest("a", {}));
    auto changes = touched("b");
    { const RowCache::Write write(rows_, changes); }
    EXPECT_TRUE(rows_.is_newest("a", counts));
    changes = touched("a");
    RowCounts during;
    {
        const RowCache::Write write(rows_, changes);
        during = miss("a").counts;
        EXPECT_FALSE(rows_.is_newest("a", counts));
        EXPECT_FALSE(rows_.is_newest("a", during));
    }
    EXPECT_FALSE(rows_.is_newest("a", counts));
    EXPECT_FALSE(rows_.is_newest("a", during));
    const auto after = miss("a").counts;
    EXPECT_TRUE(rows_.is_newest("a", after));
    rows_.forget_all();
    EXPECT_FALSE(rows_.is_newest("a", after));
}

TEST_F(RowCacheTest, KeepsSeveralRowsOfAPlace) {
    std::mt19937 random(20261119);
    for (int round = 0; round < 50'000; ++round) {
        const auto key = "row" + std::to_string(random() % 5'000);
        std::string value;
        RowCache::Miss miss;
        if (!rows_.find(key, value, miss)) {
            rows_.keep(key, key, miss);
        }
    }
    int found = 0;
    for (int i = 0; i < 5'000; ++i) {
        const auto key = "row" + std::to_string(i);
        const auto value = find(key);
        found += value == key ? 1 : 0;
        EXPECT_TRUE(value.empty() || value == key);
    }
    EXPECT_GT(found, 4'900);
}

TEST_F(RowCacheTest, ARowIsGoneWhileItIsWritten) {
    keep("a", "1");
    auto changes = touched("a");
    changes.add("never kept");
    const RowCache::Write write(rows_, changes);
    for (const char* key : {"a", "never kept"}) {
        EXPECT_EQ(find(key), "");
        keep(key, "old or new");
        EXPECT_EQ(find(key), "");
    }
}

TEST_F(RowCacheTest, WhatWasReadBeforeOrDuringAWriteIsNotKeptAfterIt) {
    miss("a");
    const auto before = miss("a");
    RowCache::Miss during;
    {
        const auto changes = touched("a");
        const RowCache::Write write(rows_, changes);
        during = miss("a");
    }
    EXPECT_TRUE(before.worth_keeping);
    for (const auto& missed : {before, during}) {
        rows_.keep("a", "old", missed);
        EXPECT_EQ(find("a"), "");
    }
}

TEST_F(RowCacheTest, AWriteThatNamesARowTwiceIsOver) {
    RowCache::Touched changes = touched("a");
    changes.add("a");
    { const RowCache::Write write(rows_, changes); }
    keep("a", "1");
    EXPECT_EQ(find("a"), "1");
}

TEST_F(RowCacheTest, ARangeIsOfAllRows) {
    keep("a", "1");
    miss("b");
    const auto before = miss("b");
    RowCache::Touched changes;
    changes.add_range();
    {
        const RowCache::Write write(rows_, changes);
        keep("c", "3");
    }
    rows_.keep("b", "2", before);
    for (const char* key : {"a", "b", "c"}) {
        EXPECT_EQ(find(key), "") << key;
    }
    changes.clear();
    keep("a", "4");
    { const RowCache::Write write(rows_, changes); }
    EXPECT_EQ(find("a"), "4");
}

TEST_F(RowCacheTest, ForgetsAll) {
    keep("a", "1");
    rows_.forget_all();
    EXPECT_EQ(find("a"), "");
    keep("a", "2");
    EXPECT_EQ(find("a"), "2");
}

TEST_F(RowCacheTest, LongRowsAreNotKept) {
    keep("long", std::string(100'000, 'v'));
    EXPECT_EQ(find("long"), "");
    const std::string key(300, 'k');
    keep(key, "1");
    EXPECT_EQ(find(key), "");
}

// Blocks have names of 16 bytes: one of them taken for a row, or the other way, would be fatal.
TEST_F(RowCacheTest, NamesOfRowsAreNeverThoseOfBlocks) {
    std::vector<std::string> keys;
    for (std::size_t size = 0; size < 20; ++size) {
        for (const char last : {'\0', '\1', 'x'}) {
            keys.emplace_back(size, 'k');
            keys.emplace_back(keys.back() + last);
        }
    }
    const std::set<std::string> different(keys.begin(), keys.end());
    for (const auto& key : different) {
        keep(key, key + "!");
    }
    std::set<std::string> names;
    cache_->ApplyToAllEntries(
        [&](const rocksdb::Slice& name, void*, std::size_t, auto) {
            EXPECT_NE(name.size(), 16);
            names.insert(name.ToString());
        },
        {}
    );
    EXPECT_EQ(names.size(), different.size());
    for (const auto& key : different) {
        EXPECT_EQ(find(key), key + "!");
    }
}

TEST_F(RowCacheTest, RowsLeaveAFullCache) {
    for (int i = 0; i < 20'000; ++i) {
        keep("row" + std::to_string(i), std::string(1000, 'v'));
    }
    EXPECT_LE(cache_->GetUsage(), 8 * kMegabyte);
    EXPECT_EQ(find("row0"), "");
    EXPECT_NE(find("row19999"), "");
}

TEST_F(RowCacheTest, AFullCacheTakesFewBlocks) {
    const auto wanted = [this] {
        int count = 0;
        for (int i = 0; i < 1024; ++i) {
            count += rows_.wants_block() ? 1 : 0;
        }
        return count;
    };
    EXPECT_EQ(wanted(), 1024);
    fill();
    EXPECT_EQ(wanted(), 128);
    cache_->Erase("block");
    wanted();
    EXPECT_EQ(wanted(), 1024);
}

TEST(EarlyReadTest, IsNewestUntilItsRowIsWritten) {
    StoreOptions options;
    options.in_memory = true;
    const auto store = Store::open(options);
    const auto write = [&](const auto& change) {
        WriteBatch batch;
        change(batch);
        ASSERT_TRUE(store->write(batch));
    };
    write([](auto& batch) { batch.put("row", "1"); });
    const auto changes = std::vector<std::function<void(WriteBatch&)>>{
        [](auto& batch) { batch.put("row", "2"); },
        [](auto& batch) { batch.put("row", "2"); },  // the same again
        [](auto& batch) { batch.erase("row"); },
        [](auto& batch) { batch.put("row", "3"); },
        [](auto& batch) { batch.erase_range("ro", "rp"); },
    };
    for (const auto& change : changes) {
        std::string value;
        const auto early = *store->get_early("row", value, 10);
        std::string now;
        EXPECT_EQ(early.found, *store->get("row", now));
        EXPECT_EQ(value, now);
        write([](auto& batch) { batch.put("another", "1"); });
        EXPECT_TRUE(store->is_newest("row", early));
        write(change);
        EXPECT_FALSE(store->is_newest("row", early));
    }
}

TEST(EarlyReadTest, LongRowsAreNotHeld) {
    StoreOptions options;
    options.in_memory = true;
    const auto store = Store::open(options);
    WriteBatch batch;
    batch.put("row", std::string(1000, 'v'));
    ASSERT_TRUE(store->write(batch));
    std::string value;
    EXPECT_TRUE(store->is_newest("row", *store->get_early("row", value, 1000)));
    EXPECT_EQ(value.size(), 1000);
    EXPECT_FALSE(store->is_newest("row", *store->get_early("row", value, 999)));
    EXPECT_TRUE(value.empty());
}

// One thread writes numbers that grow, and takes them away now and then; readers must never see an
// older one than somebody has seen or written before they asked.
class RowReadersTest : public testing::TestWithParam<bool> {};

TEST_P(RowReadersTest, SeeWhatIsNewest) {
    const bool by_range = GetParam();
    StoreOptions options;
    options.in_memory = true;
    const auto store = Store::open(options);
    std::atomic<std::uint64_t> newest{0};
    std::atomic<std::uint64_t> stale{0};
    std::atomic<std::uint64_t> found{0};
    const auto read = [&](const std::stop_token& stop, bool kept) {
        std::string value;
        while (!stop.stop_requested()) {
            const auto least = newest.load();
            const auto there = kept ? store->get_and_keep("row", value) : store->get("row", value);
            // Numbers divided by four are of rows that are not there.
            if (there && *there) {
                const auto number = std::stoull(value);
                stale += number < least ? 1 : 0;
                ++found;
                auto seen = newest.load();
                while (seen < number && !newest.compare_exchange_weak(seen, number)) {
                }
            }
        }
    };
    {
        const std::jthread first(read, true);
        const std::jthread second(read, true);
        const std::jthread third(read, false);  // sees a write as soon as anybody can
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        for (std::uint64_t number = 1; std::chrono::steady_clock::now() < end; ++number) {
            WriteBatch batch;
            if (number % 4 != 0) {
                batch.put("row", std::to_string(number));
            } else {
                by_range ? batch.erase_range("ro", "rp") : batch.erase("row");
            }
            ASSERT_TRUE(store->write(batch));
            newest = number;
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    }
    EXPECT_EQ(stale, 0);
    EXPECT_GT(found, 1000);
}

INSTANTIATE_TEST_SUITE_P(Removal, RowReadersTest, testing::Bool(), [](const auto& info) {
    return info.param ? "ByRange" : "ByKey";
});

}  // namespace
}  // namespace gateleg::storage

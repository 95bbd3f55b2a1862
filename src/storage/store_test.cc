#include "storage/store.h"

#include <gtest/gtest.h>

#include "storage/internal/test_directory.h"

namespace gateleg::storage {
namespace {

std::unique_ptr<Store> open_in_memory() {
    StoreOptions options;
    options.in_memory = true;
    return Store::open(options);
}

void put(Store& store, std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.put(key, value);
    ASSERT_TRUE(store.write(batch));
}

TEST(StoreTest, ReadsWhatWasWritten) {
    const auto store = open_in_memory();
    put(*store, "a", "1");
    std::string value;
    ASSERT_TRUE(*store->get("a", value));
    EXPECT_EQ(value, "1");
    EXPECT_FALSE(*store->get("b", value));
}

TEST(StoreTest, WaitsForADiskOnlyIfThereIsOneAndItShould) {
    EXPECT_FALSE(open_in_memory()->syncs());
    const internal::TestDirectory directory;
    for (const auto durability : {Durability::kFsync, Durability::kProcess}) {
        StoreOptions options;
        options.directory = directory / "data";
        options.durability = durability;
        EXPECT_EQ(Store::open(options)->syncs(), durability == Durability::kFsync);
    }
}

TEST(StoreTest, EraseAndEraseRangeRemove) {
    const auto store = open_in_memory();
    for (const char* key : {"a", "b", "c", "d"}) {
        put(*store, key, "x");
    }
    WriteBatch batch;
    EXPECT_TRUE(batch.empty());
    batch.erase("a");
    batch.erase_range("b", "d");
    EXPECT_FALSE(batch.empty());
    ASSERT_TRUE(store->write(batch, WriteClass::kShrinks));
    const auto cursor = store->cursor({});
    cursor->seek_to_first();
    ASSERT_TRUE(cursor->valid());
    EXPECT_EQ(cursor->key(), "d");
    cursor->next();
    EXPECT_FALSE(cursor->valid());
    EXPECT_TRUE(cursor->status());
}

TEST(StoreTest, LaterChangesOfABatchWin) {
    const auto store = open_in_memory();
    WriteBatch batch;
    batch.put("a", "1");
    batch.erase("a");
    batch.put("a", "2");
    ASSERT_TRUE(store->write(batch));
    std::string value;
    ASSERT_TRUE(*store->get("a", value));
    EXPECT_EQ(value, "2");
}

TEST(StoreTest, SnapshotStaysAsItWas) {
    const auto store = open_in_memory();
    put(*store, "a", "old");
    const auto snapshot = store->snapshot();
    put(*store, "a", "new");
    put(*store, "b", "new");
    std::string value;
    ASSERT_TRUE(*store->get("a", value, snapshot.get()));
    EXPECT_EQ(value, "old");
    EXPECT_FALSE(*store->get("b", value, snapshot.get()));
    const auto cursor = store->cursor({.snapshot = snapshot.get()});
    cursor->seek_to_last();
    ASSERT_TRUE(cursor->valid());
    EXPECT_EQ(cursor->key(), "a");
    EXPECT_EQ(cursor->value(), "old");
}

TEST(StoreTest, CursorKeepsToItsBoundsBothWays) {
    const auto store = open_in_memory();
    for (const char* key : {"a", "b", "c", "d"}) {
        put(*store, key, "x");
    }
    const auto cursor = store->cursor({.lower_bound = "b", .upper_bound = "d"});
    cursor->seek("a");
    ASSERT_TRUE(cursor->valid());
    EXPECT_EQ(cursor->key(), "b");
    cursor->prev();
    EXPECT_FALSE(cursor->valid());
    cursor->seek_for_prev("z");
    ASSERT_TRUE(cursor->valid());
    EXPECT_EQ(cursor->key(), "c");
    cursor->next();
    EXPECT_FALSE(cursor->valid());
}

TEST(StoreTest, SeekToLastBeforeLeavesTheKeyItselfOut) {
    const auto store = open_in_memory();
    for (const char* key : {"a", "c"}) {
        put(*store, key, "x");
    }
    const auto cursor = store->cursor({});
    cursor->seek_to_last_before("c");
    EXPECT_EQ(cursor->key(), "a");
    cursor->seek_for_prev("c");
    EXPECT_EQ(cursor->key(), "c");
    cursor->seek_to_last_before("b");
    EXPECT_EQ(cursor->key(), "a");
    cursor->seek_to_last_before("a");
    EXPECT_FALSE(cursor->valid());
}

}  // namespace
}  // namespace gateleg::storage

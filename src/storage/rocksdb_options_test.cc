#include "storage/internal/rocksdb_options.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage::internal {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(RocksdbOptionsTest, PartsOfTheCacheHoldSeveralIndexes) {
    EXPECT_EQ(cache_shard_bits(0), 0);
    EXPECT_EQ(cache_shard_bits(8 * kMegabyte), 0);
    EXPECT_EQ(cache_shard_bits(31 * kMegabyte), 0);
    EXPECT_EQ(cache_shard_bits(32 * kMegabyte), 1);
    EXPECT_EQ(cache_shard_bits(StoreOptions().block_cache_bytes), 4);
    EXPECT_EQ(cache_shard_bits(100'000 * kMegabyte), 6);
}

// Sixty blocks of a megabyte are a quarter of the cache: wherever their keys place them, all stay.
TEST(RocksdbOptionsTest, LargeBlocksAQuarterOfTheCacheStay) {
    const auto bytes = StoreOptions().block_cache_bytes;
    for (int start = 0; start < 50; ++start) {
        const auto cache = make_block_cache(bytes);
        const auto key = [start](int block) { return std::to_string(start * 1000 + block); };
        for (int block = 0; block < 60; ++block) {
            ASSERT_TRUE(cache->Insert(key(block), nullptr, kMegabyte, nullptr).ok());
        }
        for (int block = 0; block < 60; ++block) {
            auto* found = cache->Lookup(key(block));
            ASSERT_NE(found, nullptr) << "start " << start << ", block " << block;
            cache->Release(found);
        }
    }
}

// Tidying sets by text what a database is opened with.
TEST(RocksdbOptionsTest, TheTextOfTheUsualCompressionIsWhatADatabaseHas) {
    const TestDirectory directory;
    const auto options = make_rocksdb_options(rocksdb::Env::Default(), make_block_cache(kMegabyte));
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, (directory / "db").string(), &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    ASSERT_TRUE(db->SetOptions({{"compression_per_level", "kZSTD"}}).ok());
    EXPECT_NE(db->GetOptions().compression_per_level, options.compression_per_level);
    ASSERT_TRUE(db->SetOptions({{"compression_per_level", usual_compression()}}).ok());
    EXPECT_EQ(db->GetOptions().compression_per_level, options.compression_per_level);
}

}  // namespace
}  // namespace gateleg::storage::internal

// What a running store does when the disk fails it.

#include <gtest/gtest.h>

#include "storage/internal/fault_fs.h"
#include "storage/internal/hooks.h"
#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

using internal::happens_within;
using std::chrono::seconds;

constexpr std::uint64_t kMegabyte = 1 << 20;

class FaultTest : public testing::Test {
protected:
    FaultTest() {
        hooks_->file_system = internal::make_fault_fs(faults_);
        hooks_->tick = std::chrono::milliseconds(5);
        hooks_->disk_space = [this] {
            return internal::DiskSpace{free_bytes_.load(), 100'000 * kMegabyte};
        };
    }

    std::unique_ptr<Store> open() {
        StoreOptions options;
        options.directory = directory_ / "data";
        options.hooks = hooks_;
        options.on_failed = [this](const std::string& reason) { failures_.push_back(reason); };
        return Store::open(options);
    }

    static Result<void> put(
        Store& store, int number, WriteClass write_class = WriteClass::kMayGrow
    ) {
        WriteBatch batch;
        batch.put("key" + std::to_string(number), std::string(200, 'v'));
        return store.write(batch, write_class);
    }

    static int count_keys(const Store& store, int upto) {
        int count = 0;
        std::string value;
        for (int i = 0; i < upto; ++i) {
            const auto found = store.get("key" + std::to_string(i), value);
            count += found && *found ? 1 : 0;
        }
        return count;
    }

    internal::TestDirectory directory_;
    std::shared_ptr<internal::Faults> faults_ = std::make_shared<internal::Faults>();
    std::shared_ptr<internal::Hooks> hooks_ = std::make_shared<internal::Hooks>();
    std::atomic<std::uint64_t> free_bytes_{50'000 * kMegabyte};
    std::vector<std::string> failures_;
};

TEST_F(FaultTest, FailedLogSyncStopsWritesForGood) {
    auto store = open();
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(put(*store, i));
    }
    faults_->log_syncs_until_error = 2;
    ASSERT_TRUE(put(*store, 10));
    ASSERT_TRUE(put(*store, 11));
    EXPECT_EQ(put(*store, 12).error().code, ErrorCode::kInternal);
    EXPECT_EQ(faults_->fired, 1);
    // The disk is fine again, and still nothing is written.
    EXPECT_EQ(put(*store, 13).error().code, ErrorCode::kInternal);
    EXPECT_FALSE(store->flush());
    EXPECT_EQ(store->health(), Health::kFailed);
    EXPECT_NE(store->health_reason(), "");
    EXPECT_EQ(failures_.size(), 1);
    EXPECT_EQ(count_keys(*store, 12), 12);

    store.reset();
    store = open();
    EXPECT_EQ(store->health(), Health::kOk);
    EXPECT_EQ(count_keys(*store, 12), 12);
    std::string value;
    EXPECT_FALSE(*store->get("key13", value));
    EXPECT_TRUE(put(*store, 14));
}

TEST_F(FaultTest, FullDiskRefusesWritesAndGoesOnByItself) {
    auto store = open();
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(put(*store, i));
    }
    free_bytes_ = 0;
    faults_->no_space = true;
    // The watcher may see the low disk before the write meets the full one; deletes meet it anyway.
    EXPECT_EQ(put(*store, 10, WriteClass::kShrinks).error().code, ErrorCode::kServiceUnavailable);
    EXPECT_GT(faults_->fired, 0);
    EXPECT_EQ(put(*store, 11).error().code, ErrorCode::kServiceUnavailable);
    EXPECT_EQ(store->health(), Health::kDiskLow);
    EXPECT_EQ(count_keys(*store, 10), 10);

    faults_->no_space = false;
    free_bytes_ = 50'000 * kMegabyte;
    EXPECT_TRUE(happens_within(seconds(5), [&] { return put(*store, 12).has_value(); }));
    EXPECT_EQ(store->health(), Health::kOk);
    EXPECT_EQ(count_keys(*store, 10), 10);
    EXPECT_TRUE(failures_.empty());

    store.reset();
    store = open();
    EXPECT_EQ(count_keys(*store, 10), 10);
    std::string value;
    EXPECT_TRUE(*store->get("key12", value));
}

TEST_F(FaultTest, FullDiskDuringAFlushIsGotOver) {
    auto store = open();
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(put(*store, i));
    }
    free_bytes_ = 0;
    faults_->no_space = true;
    EXPECT_EQ(store->flush().error().code, ErrorCode::kServiceUnavailable);
    EXPECT_EQ(count_keys(*store, 10), 10);
    faults_->no_space = false;
    free_bytes_ = 50'000 * kMegabyte;
    EXPECT_TRUE(happens_within(seconds(5), [&] { return put(*store, 10).has_value(); }));
    EXPECT_TRUE(store->flush());
    EXPECT_EQ(count_keys(*store, 11), 11);
}

TEST_F(FaultTest, DiskFullAtStartServesReadsAndGoesOnByItself) {
    auto store = open();
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(put(*store, i));
    }
    store.reset();
    free_bytes_ = 0;
    faults_->no_space = true;
    store = open();
    EXPECT_EQ(store->health(), Health::kDiskLow);
    EXPECT_EQ(count_keys(*store, 10), 10);
    EXPECT_EQ(put(*store, 10).error().code, ErrorCode::kServiceUnavailable);
    faults_->no_space = false;
    free_bytes_ = 50'000 * kMegabyte;
    EXPECT_TRUE(happens_within(seconds(5), [&] { return put(*store, 10).has_value(); }));
    EXPECT_EQ(count_keys(*store, 11), 11);
}

TEST_F(FaultTest, ReadersSurviveTheDatabaseBeingReplaced) {
    auto store = open();
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(put(*store, i));
    }
    std::atomic<int> failed{0};
    std::atomic<std::uint64_t> reads{0};
    const auto read = [&](const std::stop_token& stop) {
        std::string value;
        while (!stop.stop_requested()) {
            const auto found = store->get("key7", value);
            failed += found && *found ? 0 : 1;
            const auto snapshot = store->snapshot();
            const auto cursor = store->cursor({.snapshot = snapshot.get()});
            int count = 0;
            for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
                ++count;
            }
            failed += count >= 50 ? 0 : 1;
            ++reads;
        }
    };
    {
        std::jthread first(read);
        std::jthread second(read);
        for (int round = 0; round < 5; ++round) {
            faults_->no_space = true;
            EXPECT_FALSE(put(*store, 1000 + round, WriteClass::kShrinks));
            faults_->no_space = false;
            EXPECT_TRUE(happens_within(seconds(5), [&] {
                return put(*store, 50 + round).has_value();
            }));
        }
    }
    EXPECT_EQ(failed, 0);
    EXPECT_GT(reads, 10);
    EXPECT_GE(faults_->fired, 5);
}

// The log has the row, and then the disk is full: the write was refused, and still the row is there
// when the log is read again.
TEST_F(FaultTest, RowsThatAreKeptInMemoryAreForgottenWithTheDatabase) {
    auto store = open();
    ASSERT_TRUE(put(*store, 1));
    std::string value;
    const auto read_often = [&] {
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(*store->get_and_keep("key1", value));
        }
        return value;
    };
    EXPECT_EQ(read_often(), std::string(200, 'v'));
    const auto early = *store->get_early("key1", value, 1000);
    faults_->failing = internal::DiskCall::kSync;
    faults_->fault = internal::DiskFault::kNoSpace;
    faults_->calls_until_error = 0;
    WriteBatch batch;
    batch.put("key1", "refused");
    EXPECT_FALSE(store->write(batch));
    EXPECT_EQ(read_often(), std::string(200, 'v'));
    EXPECT_TRUE(happens_within(seconds(5), [&] { return put(*store, 2).has_value(); }));
    std::string newest;
    EXPECT_TRUE(*store->get("key1", newest));
    EXPECT_EQ(newest, "refused");
    EXPECT_EQ(read_often(), newest);
    EXPECT_FALSE(store->is_newest("key1", early));
}

TEST_F(FaultTest, HeldSnapshotDelaysTheReplacementOnly) {
    auto store = open();
    ASSERT_TRUE(put(*store, 1));
    auto snapshot = store->snapshot();
    faults_->no_space = true;
    EXPECT_FALSE(put(*store, 2));
    faults_->no_space = false;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::string value;
    EXPECT_TRUE(*store->get("key1", value, snapshot.get()));
    EXPECT_FALSE(put(*store, 2));
    snapshot.reset();
    EXPECT_TRUE(happens_within(seconds(5), [&] { return put(*store, 2).has_value(); }));
}

TEST_F(FaultTest, LowDiskRefusesGrowthButNotDeletes) {
    auto store = open();
    ASSERT_TRUE(put(*store, 1));
    free_bytes_ = 100 * kMegabyte;
    EXPECT_TRUE(happens_within(seconds(5), [&] { return store->health() == Health::kDiskLow; }));
    EXPECT_EQ(put(*store, 2).error().code, ErrorCode::kServiceUnavailable);
    WriteBatch batch;
    batch.erase("key1");
    EXPECT_TRUE(store->write(batch, WriteClass::kShrinks));
    free_bytes_ = 50'000 * kMegabyte;
    EXPECT_TRUE(happens_within(seconds(5), [&] { return put(*store, 2).has_value(); }));
    EXPECT_EQ(store->health_reason(), "");
}

}  // namespace
}  // namespace gateleg::storage

// Logs with zeros ahead: what a kill leaves of them at any moment, and what a store makes of it.

#include "storage/internal/roomy_logs.h"

#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "storage/internal/fault_fs.h"
#include "storage/internal/file.h"
#include "storage/internal/high_water_mark.h"
#include "storage/internal/hooks.h"
#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

namespace fs = std::filesystem;

using internal::happens_within;
using internal::LogRoom;
using internal::read_file;

constexpr LogRoom kSmallRoom{.from = 1, .ahead = 64 * 1024, .step = 8 * 1024};
constexpr int kKeys = 300;

std::unique_ptr<rocksdb::FSWritableFile> open_log(
    rocksdb::FileSystem& files, const fs::path& path
) {
    std::unique_ptr<rocksdb::FSWritableFile> log;
    EXPECT_TRUE(files.NewWritableFile(path, rocksdb::FileOptions(), &log, nullptr).ok());
    return log;
}

bool append(rocksdb::FSWritableFile& log, const std::string& bytes) {
    return log.Append(bytes, rocksdb::IOOptions(), nullptr).ok();
}

// What is there, behind it nothing but zeros.
void expect_begins(const std::string& contents, const std::string& written) {
    ASSERT_GE(contents.size(), written.size());
    ASSERT_TRUE(contents.starts_with(written));
    ASSERT_EQ(contents.find_first_not_of('\0', written.size()), std::string::npos);
}

TEST(RoomyLogsTest, NoZeroEverTouchesWhatWasWritten) {
    const internal::TestDirectory directory;
    const auto files = internal::make_roomy_logs(rocksdb::FileSystem::Default(), kSmallRoom);
    const auto path = directory / "000001.log";
    const auto log = open_log(*files, path);
    std::mt19937 random(11);  // NOLINT: the same sizes each time
    std::string written;
    bool had_room = false;
    for (int i = 0; i < 3000; ++i) {
        // Now and then more than there is room for.
        const auto size = random() % (i % 50 == 0 ? 100'000 : 4'000);
        const std::string piece(size, static_cast<char>('a' + i % 26));
        ASSERT_TRUE(append(*log, piece));
        written += piece;
        if (i % 20 == 0) {
            const auto contents = read_file(path);
            expect_begins(contents, written);
            had_room = had_room || contents.size() > written.size();
        }
    }
    EXPECT_TRUE(had_room);
    ASSERT_TRUE(log->Close(rocksdb::IOOptions(), nullptr).ok());
    EXPECT_TRUE(read_file(path) == written);
}

TEST(RoomyLogsTest, ShortLogsAndOtherFilesGetNoRoom) {
    const internal::TestDirectory directory;
    const auto files = internal::make_roomy_logs(rocksdb::FileSystem::Default());
    for (const auto* name : {"000001.log", "000002.sst"}) {
        const auto file = open_log(*files, directory / name);
        const std::string bytes(name[5] == '1' ? 200'000 : 400'000, 'x');
        ASSERT_TRUE(append(*file, bytes));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(fs::file_size(directory / name), bytes.size());
    }
}

TEST(RoomyLogsTest, AnAppendThatFailedIsNotCutOffOrFilledUp) {
    const internal::TestDirectory directory;
    const auto faults = std::make_shared<internal::Faults>();
    const auto files = internal::make_roomy_logs(internal::make_fault_fs(faults), kSmallRoom);
    const auto path = directory / "000001.log";
    const std::string good(20'000, 'g');
    {
        const auto log = open_log(*files, path);
        ASSERT_TRUE(append(*log, good));
        faults->no_space = true;
        EXPECT_FALSE(append(*log, std::string(1'000, 'h')));
        faults->no_space = false;
        EXPECT_TRUE(append(*log, std::string(10, 'i')));
    }
    // Half of what failed is there, as the disk took it; nothing else was lost.
    EXPECT_TRUE(read_file(path).starts_with(good + std::string(500, 'h') + std::string(10, 'i')));
}

class RoomyStoreTest : public testing::Test {
protected:
    StoreOptions options(const fs::path& directory) const {
        auto hooks = std::make_shared<internal::Hooks>();
        hooks->tick = std::chrono::milliseconds(5);
        hooks->log_room = kSmallRoom;
        StoreOptions result;
        result.directory = directory;
        result.durability = Durability::kFsync;
        result.hooks = hooks;
        return result;
    }

    // What a kill leaves of a store with kKeys keys in a log that has room.
    fs::path killed_store() {
        const auto live = directory_ / "live";
        const auto store = Store::open(options(live));
        std::uint64_t written = 0;
        for (int i = 0; i < kKeys; ++i) {
            WriteBatch batch;
            batch.put("key" + std::to_string(i), std::string(500, 'v'));
            written += batch.bytes();
            EXPECT_TRUE(store->write(batch));
        }
        const auto log = internal::largest_file(live / "db", ".log");
        EXPECT_TRUE(happens_within(std::chrono::seconds(5), [&] {
            const auto mark = internal::HighWaterMarkFile::load(live / "MARK");
            return mark && mark->acknowledged == store->last_sequence() &&
                   fs::file_size(log) > written + kSmallRoom.ahead / 4;
        }));
        const auto killed = directory_ / "killed";
        fs::copy(live, killed, fs::copy_options::recursive);
        fs::permissions(killed, fs::perms::owner_all);
        return killed;
    }

    // Where the last record ends.
    static std::size_t end_of(const fs::path& log) {
        return read_file(log).find_last_not_of('\0') + 1;
    }

    static void zero(const fs::path& log, std::size_t begin, std::size_t bytes) {
        std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(begin));
        file << std::string(bytes, '\0');
    }

    void expect_refused(const fs::path& directory, const std::string& text) {
        try {
            Store::open(options(directory));
            FAIL() << "opened";
        } catch (const StoreOpenError& error) {
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    }

    static int count_keys(const Store& store) {
        int count = 0;
        const auto cursor = store.cursor({});
        for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
            ++count;
        }
        return count;
    }

    internal::TestDirectory directory_;
};

TEST_F(RoomyStoreTest, KilledStoreHasAllItsWrites) {
    const auto killed = killed_store();
    EXPECT_EQ(count_keys(*Store::open(options(killed))), kKeys);
    // And once more, after it was in use again and stopped.
    EXPECT_EQ(count_keys(*Store::open(options(killed))), kKeys);
}

TEST_F(RoomyStoreTest, UnfinishedLastWriteBeforeTheRoomIsDropped) {
    const auto killed = killed_store();
    const auto log = internal::largest_file(killed / "db", ".log");
    const auto begun = read_file(log).substr(0, 200);
    const auto end = end_of(log);
    {
        std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(end));
        file << begun;
    }
    EXPECT_EQ(count_keys(*Store::open(options(killed))), kKeys);
}

TEST_F(RoomyStoreTest, RecordThatReadsAsZerosIsRefused) {
    const auto killed = killed_store();
    const auto log = internal::largest_file(killed / "db", ".log");
    zero(log, end_of(log) / 2, 4096);
    expect_refused(killed, "intact records behind");
}

TEST_F(RoomyStoreTest, LastRecordsThatReadAsZerosAreRefusedByTheMark) {
    const auto killed = killed_store();
    const auto log = internal::largest_file(killed / "db", ".log");
    zero(log, end_of(log) - 3000, 3000);
    expect_refused(killed, "up to number 300 were acknowledged");
}

}  // namespace
}  // namespace gateleg::storage

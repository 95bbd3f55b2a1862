// What a store does with a directory that was killed, cut, damaged or written by others.

#include <fstream>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "storage/internal/high_water_mark.h"
#include "storage/internal/hooks.h"
#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

namespace fs = std::filesystem;

using internal::append_bytes;
using internal::flip_bit;
using internal::HighWaterMark;
using internal::HighWaterMarkFile;
using internal::largest_file;

constexpr int kKeys = 160;

std::string key_of(int number) {
    return "key" + std::to_string(100000 + number);
}

void put(Store& store, int number) {
    WriteBatch batch;
    batch.put(key_of(number), std::string(500, static_cast<char>('a' + number % 26)));
    ASSERT_TRUE(store.write(batch));
}

int count_keys(const Store& store) {
    int count = 0;
    const auto cursor = store.cursor({});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        ++count;
    }
    EXPECT_TRUE(cursor->status());
    return count;
}

class RecoveryTest : public testing::Test {
protected:
    StoreOptions options(const fs::path& directory) const {
        auto hooks = std::make_shared<internal::Hooks>();
        hooks->tick = std::chrono::milliseconds(5);
        StoreOptions result;
        result.directory = directory;
        result.durability = durability_;
        result.hooks = hooks;
        return result;
    }

    // Copies the directory of a running store when its mark has caught up: what a kill leaves.
    fs::path copy_running(const Store& store, const fs::path& from, const char* name) {
        EXPECT_TRUE(internal::happens_within(std::chrono::seconds(5), [&] {
            const auto mark = HighWaterMarkFile::load(from / "MARK");
            return mark && mark->acknowledged == store.last_sequence();
        }));
        const auto to = directory_ / name;
        fs::copy(from, to, fs::copy_options::recursive);
        fs::permissions(to, fs::perms::owner_all);
        return to;
    }

    // A killed store with kKeys keys, all in the log unless `flush`.
    fs::path killed_store(bool flush = false) {
        const auto store = Store::open(options(directory_ / "live"));
        for (int i = 0; i < kKeys; ++i) {
            put(*store, i);
        }
        if (flush) {
            EXPECT_TRUE(store->flush());
        }
        return copy_running(*store, directory_ / "live", "killed");
    }

    void expect_refused(
        const fs::path& directory, int exit_code, const std::string& text, bool accept = false
    ) {
        auto refused = options(directory);
        refused.accept_data_loss = accept;
        try {
            Store::open(refused);
            FAIL() << "opened";
        } catch (const StoreOpenError& error) {
            EXPECT_EQ(error.exit_code(), exit_code) << error.what();
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    }

    int count_after_accepting_loss(const fs::path& directory) {
        auto accepting = options(directory);
        accepting.accept_data_loss = true;
        {
            const auto store = Store::open(accepting);
            put(*store, kKeys);
        }
        // Accepted once; from then on it is whole.
        return count_keys(*Store::open(options(directory))) - 1;
    }

    internal::TestDirectory directory_;
    Durability durability_ = Durability::kFsync;
};

std::map<std::string, std::string> contents_of(const fs::path& directory) {
    std::map<std::string, std::string> contents;
    for (const auto& file : fs::recursive_directory_iterator(directory)) {
        if (file.is_regular_file()) {
            contents[file.path().string()] = internal::read_file(file.path());
        }
    }
    return contents;
}

TEST_F(RecoveryTest, CleanStopLeavesNothingInTheLog) {
    {
        const auto store = Store::open(options(directory_ / "live"));
        put(*store, 1);
    }
    EXPECT_EQ(fs::file_size(largest_file(directory_ / "live" / "db", ".log")), 0);
    EXPECT_TRUE(HighWaterMarkFile::load(directory_ / "live" / "MARK")->clean);
    EXPECT_EQ(count_keys(*Store::open(options(directory_ / "live"))), 1);
}

TEST_F(RecoveryTest, KilledStoreHasAllItsWrites) {
    EXPECT_EQ(count_keys(*Store::open(options(killed_store()))), kKeys);
}

TEST_F(RecoveryTest, KilledStoreWithoutFsyncHasAllItsWrites) {
    durability_ = Durability::kProcess;
    EXPECT_EQ(count_keys(*Store::open(options(killed_store()))), kKeys);
}

TEST_F(RecoveryTest, UnfinishedLastWriteIsDropped) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    // The head of a record whose end never reached the disk.
    append_bytes(log, internal::read_file(log).substr(0, 200));
    EXPECT_EQ(count_keys(*Store::open(options(killed))), kKeys);
}

TEST_F(RecoveryTest, ZeroFilledTailIsDropped) {
    const auto killed = killed_store();
    append_bytes(largest_file(killed / "db", ".log"), std::string(70000, '\0'));
    EXPECT_EQ(count_keys(*Store::open(options(killed))), kKeys);
}

// T4: what a power cut may leave of the last write: a part of it, with nothing, zeros or something
// else in the sectors behind.
TEST_F(RecoveryTest, WriteTornAtAnyByteIsWhollyThereOrNotAtAll) {
    constexpr int kBefore = 30;
    constexpr int kInBatch = 3;
    constexpr int kImages = 100;
    fs::path before;
    std::string log_bytes;
    {
        const auto store = Store::open(options(directory_ / "live"));
        for (int i = 0; i < kBefore; ++i) {
            put(*store, i);
            if (i == kBefore / 2) {
                ASSERT_TRUE(store->flush());
            }
        }
        before = copy_running(*store, directory_ / "live", "before");
        WriteBatch batch;
        for (int i = 0; i < kInBatch; ++i) {
            batch.put(key_of(kBefore + i), std::string(3000, 'z'));
        }
        ASSERT_TRUE(store->write(batch));
        log_bytes = internal::read_file(largest_file(directory_ / "live" / "db", ".log"));
    }
    const auto log = largest_file(before / "db", ".log").filename();
    const auto synced = fs::file_size(before / "db" / log);
    ASSERT_GT(log_bytes.size(), synced);
    std::mt19937 random(7);  // NOLINT: the same images each time
    int whole = 0;
    for (int image = 0; image < kImages; ++image) {
        const auto written =
            image % 10 == 0 ? log_bytes.size() - synced : random() % (log_bytes.size() - synced);
        auto torn = log_bytes.substr(0, synced + written);
        if (image % 4 == 1) {
            torn.resize(log_bytes.size(), '\0');
        } else if (image % 4 == 2) {
            torn.resize((torn.size() + 4095) / 4096 * 4096, '\0');
        } else if (image % 4 == 3) {
            for (auto left = random() % 512; left > 0; --left) {
                torn.push_back(static_cast<char>(random()));
            }
        }
        const auto directory = directory_ / "image";
        fs::remove_all(directory);
        fs::copy(before, directory, fs::copy_options::recursive);
        fs::permissions(directory, fs::perms::owner_all);
        std::ofstream(directory / "db" / log, std::ios::binary) << torn;
        const auto keys = count_keys(*Store::open(options(directory)));
        ASSERT_TRUE(keys == kBefore || keys == kBefore + kInBatch)
            << "image " << image << " with " << written << " bytes: " << keys << " keys";
        EXPECT_TRUE(written + synced < log_bytes.size() || keys == kBefore + kInBatch) << image;
        whole += keys == kBefore ? 0 : 1;
    }
    EXPECT_GE(whole, kImages / 10);
    EXPECT_LT(whole, kImages / 2);
}

TEST_F(RecoveryTest, KilledAgainAfterAnUnfinishedWriteItStillOpens) {
    const auto killed = killed_store();
    append_bytes(largest_file(killed / "db", ".log"), std::string(50, 'x'));
    fs::path again;
    {
        const auto store = Store::open(options(killed));
        put(*store, kKeys);
        again = copy_running(*store, killed, "again");
    }
    EXPECT_EQ(count_keys(*Store::open(options(again))), kKeys + 1);
}

TEST_F(RecoveryTest, TornOldLogBesideItsSuccessorOpens) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    append_bytes(log, std::string(50, 'x'));
    const auto torn = internal::read_file(log);
    fs::path again;
    {
        const auto store = Store::open(options(killed));
        put(*store, kKeys);
        again = copy_running(*store, killed, "again");
    }
    // As if the crash had come before the old log was deleted.
    std::ofstream(again / "db" / log.filename(), std::ios::binary) << torn;
    EXPECT_EQ(count_keys(*Store::open(options(again))), kKeys + 1);
}

TEST_F(RecoveryTest, DamageInTheMiddleOfTheLogIsRefused) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    flip_bit(log, fs::file_size(log) / 2);
    const auto before = contents_of(killed);
    expect_refused(killed, StoreOpenError::kDamaged, log.filename().string());
    expect_refused(killed, StoreOpenError::kDamaged, "--accept-data-loss");
    EXPECT_TRUE(contents_of(killed) == before);
    const int left = count_after_accepting_loss(killed);
    EXPECT_GT(left, kKeys / 3);
    EXPECT_LT(left, kKeys);
}

TEST_F(RecoveryTest, DamageNearTheEndOfTheLogIsRefused) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    flip_bit(log, fs::file_size(log) - 5 * 540);
    expect_refused(killed, StoreOpenError::kDamaged, "intact records behind");
}

TEST_F(RecoveryTest, ZeroedPageInTheLogIsRefused) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8 * 4096);
    file << std::string(4096, '\0');
    file.close();
    expect_refused(killed, StoreOpenError::kDamaged, "intact records behind");
}

TEST_F(RecoveryTest, DamagedLastRecordIsRefusedByTheMark) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    flip_bit(log, fs::file_size(log) - 100);
    expect_refused(killed, StoreOpenError::kDamaged, "up to number 160 were acknowledged");
    EXPECT_EQ(count_after_accepting_loss(killed), kKeys - 1);
}

TEST_F(RecoveryTest, DeletedLogIsRefused) {
    const auto killed = killed_store();
    fs::remove(largest_file(killed / "db", ".log"));
    expect_refused(killed, StoreOpenError::kDamaged, "--accept-data-loss");
    EXPECT_EQ(count_after_accepting_loss(killed), 0);
}

TEST_F(RecoveryTest, CutLogIsRefused) {
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    fs::resize_file(log, fs::file_size(log) * 6 / 10);
    expect_refused(killed, StoreOpenError::kDamaged, "deleted or cut short");
    EXPECT_NEAR(count_after_accepting_loss(killed), kKeys * 6 / 10, 1);
}

TEST_F(RecoveryTest, WithoutFsyncDamageIsRefusedWhileTheMachineRan) {
    durability_ = Durability::kProcess;
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    flip_bit(log, fs::file_size(log) / 2);
    expect_refused(killed, StoreOpenError::kDamaged, "intact records behind");
}

TEST_F(RecoveryTest, WithoutFsyncAPowerCutMayLeaveHoles) {
    durability_ = Durability::kProcess;
    const auto killed = killed_store();
    const auto log = largest_file(killed / "db", ".log");
    flip_bit(log, fs::file_size(log) / 2);
    auto mark = *HighWaterMarkFile::load(killed / "MARK");
    mark.boot_id = "another boot";
    mark.on_disk = kKeys / 4;
    HighWaterMarkFile(killed / "MARK", mark);
    const auto kept = directory_ / "kept";
    fs::copy(killed, kept, fs::copy_options::recursive);
    fs::permissions(kept, fs::perms::owner_all);
    EXPECT_GT(count_keys(*Store::open(options(killed))), kKeys / 3);

    // But not in what had been flushed.
    mark.on_disk = kKeys * 3 / 4;
    HighWaterMarkFile(kept / "MARK", mark);
    expect_refused(kept, StoreOpenError::kDamaged, "--accept-data-loss");
}

TEST_F(RecoveryTest, LostMarkIsRefused) {
    const auto killed = killed_store();
    fs::remove(killed / "MARK");
    expect_refused(killed, StoreOpenError::kDamaged, "MARK");
    EXPECT_EQ(count_after_accepting_loss(killed), kKeys);
}

TEST_F(RecoveryTest, LostCurrentFileIsRefusedEvenWhenLossIsAccepted) {
    const auto killed = killed_store();
    fs::remove(killed / "db" / "CURRENT");
    expect_refused(killed, StoreOpenError::kDamaged, "CURRENT");
    expect_refused(killed, StoreOpenError::kDamaged, "CURRENT", true);
}

TEST_F(RecoveryTest, DamagedManifestIsRefused) {
    const auto killed = killed_store(true);
    for (const auto& file : fs::directory_iterator(killed / "db")) {
        if (file.path().filename().string().starts_with("MANIFEST")) {
            flip_bit(file.path(), file.file_size() / 2);
        }
    }
    expect_refused(killed, StoreOpenError::kDamaged, "restore a backup");
}

fs::path manifest_of(const fs::path& data) {
    auto name = internal::read_file(data / "db" / "CURRENT");
    return data / "db" / name.substr(0, name.find('\n'));
}

// What a power cut may leave of a record of the manifest that was on its way.
TEST_F(RecoveryTest, UnfinishedLastRecordOfTheManifestIsDropped) {
    const auto killed = killed_store(true);
    const auto whole = internal::read_file(manifest_of(killed));
    // A record with its head, but for the last byte.
    const auto record = whole.substr(0, 7 + static_cast<unsigned char>(whole[4]) - 1);
    for (const auto& tail :
         {record.substr(0, 5),
          record,
          record + std::string(4000, '\0'),
          record.substr(0, record.size() / 2) + std::string(300, 'x'),
          std::string(700, 'y')}) {
        const auto torn = directory_ / "torn";
        fs::remove_all(torn);
        fs::copy(killed, torn, fs::copy_options::recursive);
        fs::permissions(torn, fs::perms::owner_all);
        append_bytes(manifest_of(torn), tail);
        EXPECT_EQ(count_keys(*Store::open(options(torn))), kKeys) << tail.size();
        EXPECT_FALSE(fs::exists(torn / "db.judged"));
    }
}

// Whichever record is the last, if it is damaged its loss is harmless or told: what a flush had put
// into a sorted file may be in no log any more.
TEST_F(RecoveryTest, DamagedLastRecordOfTheManifestLosesNothingUnsaid) {
    const auto killed = killed_store(true);
    const auto whole = internal::read_file(manifest_of(killed));
    int refused = 0;
    for (std::size_t end = 0; end < whole.size();) {
        end += 7 + static_cast<unsigned char>(whole[end + 4]);
        const auto damaged = directory_ / "damaged";
        fs::remove_all(damaged);
        fs::copy(killed, damaged, fs::copy_options::recursive);
        fs::permissions(damaged, fs::perms::owner_all);
        fs::resize_file(manifest_of(damaged), end);
        flip_bit(manifest_of(damaged), end - 3);
        const auto before = contents_of(damaged);
        try {
            EXPECT_EQ(count_keys(*Store::open(options(damaged))), kKeys) << end;
        } catch (const StoreOpenError& error) {
            EXPECT_EQ(error.exit_code(), StoreOpenError::kDamaged) << error.what();
            EXPECT_TRUE(contents_of(damaged) == before) << end;
            ++refused;
        }
    }
    EXPECT_GT(refused, 1);
}

TEST_F(RecoveryTest, LostSortedFileIsRefused) {
    const auto killed = killed_store(true);
    fs::remove(largest_file(killed / "db", ".sst"));
    expect_refused(killed, StoreOpenError::kDamaged, "restore a backup");
}

TEST_F(RecoveryTest, DamagedBlockFailsOnlyTheReadsThatNeedIt) {
    const auto killed = killed_store(true);
    flip_bit(largest_file(killed / "db", ".sst"), 3000);
    const auto store = Store::open(options(killed));
    int good = 0;
    int bad = 0;
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
        const auto found = store->get(key_of(i), value);
        if (found) {
            good += *found ? 1 : 0;
        } else {
            EXPECT_EQ(found.error().code, ErrorCode::kInternal);
            ++bad;
        }
    }
    EXPECT_GT(bad, 0);
    EXPECT_GT(good, kKeys / 2);
    EXPECT_EQ(good + bad, kKeys);
    EXPECT_FALSE(store->verify_checksums());
    put(*store, kKeys);
}

TEST_F(RecoveryTest, NewerFormatIsRefusedAndLeftAlone) {
    const auto killed = killed_store();
    std::ofstream(killed / "FORMAT") << "gateleg data directory, format 2\n";
    const auto before = contents_of(killed);
    expect_refused(
        killed, StoreOpenError::kNewerFormat, "format 2, this release reads up to format 1"
    );
    EXPECT_TRUE(contents_of(killed) == before);
}

TEST_F(RecoveryTest, UnreadableFormatIsRefused) {
    const auto killed = killed_store();
    std::ofstream(killed / "FORMAT") << "format one";
    expect_refused(killed, StoreOpenError::kDamaged, "FORMAT");
    fs::remove(killed / "FORMAT");
    expect_refused(killed, StoreOpenError::kDamaged, "FORMAT");
}

TEST_F(RecoveryTest, SecondServerIsTurnedAway) {
    const auto store = Store::open(options(directory_ / "live"));
    expect_refused(directory_ / "live", StoreOpenError::kOther, "another Gateleg process");
}

TEST_F(RecoveryTest, DirectoryIsPrivateOrRefused) {
    const auto killed = killed_store();
    EXPECT_EQ(fs::status(directory_ / "live").permissions(), fs::perms::owner_all);
    fs::permissions(killed, fs::perms::group_read, fs::perm_options::add);
    expect_refused(killed, StoreOpenError::kOther, "chmod 700");
}

TEST_F(RecoveryTest, DirectoryOfOthersIsNotTaken) {
    fs::create_directory(directory_ / "home");
    fs::permissions(directory_ / "home", fs::perms::owner_all);
    std::ofstream(directory_ / "home" / "letter.txt") << "hello";
    expect_refused(directory_ / "home", StoreOpenError::kOther, "holds other files");
}

}  // namespace
}  // namespace gateleg::storage

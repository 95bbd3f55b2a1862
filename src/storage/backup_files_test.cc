#include "storage/backup_files.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "storage/internal/test_directory.h"

namespace gateleg::storage {
namespace {

namespace fs = std::filesystem;

class BackupFilesTest : public testing::Test {
protected:
    BackupFilesTest() {
        {
            const auto store = Store::open({.directory = backup});
            WriteBatch batch;
            for (int i = 0; i < 300; ++i) {
                batch.put("key" + std::to_string(i), std::string(100, 'x'));
            }
            EXPECT_TRUE(store->write(batch).has_value());
        }
        list_backup_files(backup, {.rows = 300, .bytes = 1234});
    }

    // What the refusal to copy says.
    std::string refusal() const {
        std::string message = "none";
        try {
            copy_listed_files(backup, folder / "refused");
        } catch (const StoreOpenError& error) {
            EXPECT_EQ(error.exit_code(), StoreOpenError::kDamaged);
            message = error.what();
        }
        fs::remove_all(folder / "refused");
        return message;
    }

    internal::TestDirectory folder;
    fs::path backup = folder / "backup";
};

TEST_F(BackupFilesTest, AWholeBackupIsCopiedAndLeftAlone) {
    EXPECT_TRUE(is_listed_backup(backup));
    const auto totals = copy_listed_files(backup, folder / "data");
    EXPECT_EQ(totals.rows, 300);
    EXPECT_EQ(totals.bytes, 1234);
    EXPECT_FALSE(is_listed_backup(folder / "data"));
    const auto store = Store::open({.directory = folder / "data"});
    std::string value;
    EXPECT_TRUE(*store->get("key299", value));
    EXPECT_EQ(refusal(), "none");
}

TEST_F(BackupFilesTest, OneFlippedBitInAnyFileIsNamed) {
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(backup)) {
        if (!entry.is_regular_file() || entry.file_size() == 0) {
            continue;
        }
        ++files;
        for (const auto at : {std::uintmax_t{0}, entry.file_size() / 2, entry.file_size() - 1}) {
            internal::flip_bit(entry.path(), at);
            EXPECT_NE(refusal().find(entry.path().string()), std::string::npos)
                << entry.path() << " at " << at << ": " << refusal();
            internal::flip_bit(entry.path(), at);
        }
    }
    EXPECT_GE(files, 6);
    EXPECT_EQ(refusal(), "none");
}

TEST_F(BackupFilesTest, AMissingShortOrLongFileIsNamed) {
    const auto file = internal::largest_file(backup / "db", ".sst");
    internal::append_bytes(file, "x");
    EXPECT_NE(refusal().find(file.string() + ": has "), std::string::npos) << refusal();
    fs::resize_file(file, 10);
    EXPECT_NE(refusal().find(file.string() + ": has 10 bytes"), std::string::npos) << refusal();
    fs::remove(file);
    EXPECT_NE(refusal().find(file.string()), std::string::npos) << refusal();
}

TEST_F(BackupFilesTest, AListThatIsCutShortIsRefused) {
    const auto list = backup / kBackupListName;
    for (const std::uintmax_t bytes : {0, 1, 64, 65, 100}) {
        fs::resize_file(list, bytes);
        EXPECT_NE(refusal().find("BACKUP"), std::string::npos) << bytes;
    }
}

TEST_F(BackupFilesTest, OpeningABackupMakesItAStore) {
    Store::open({.directory = backup});
    EXPECT_FALSE(is_listed_backup(backup));
}

}  // namespace
}  // namespace gateleg::storage

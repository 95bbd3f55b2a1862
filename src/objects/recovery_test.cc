#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "objects/internal/body_files.h"
#include "objects/test_store.h"
#include "storage/internal/test_directory.h"

namespace gateleg::objects {
namespace {

using storage::internal::TestDirectory;

// Every file of a body, incoming ones too.
std::vector<std::filesystem::path> body_files(const std::filesystem::path& root) {
    std::vector<std::filesystem::path> files;
    for (const auto& folder : std::filesystem::directory_iterator(root)) {
        const auto name = folder.path().filename().string();
        if (folder.is_directory() && (name.size() == 2 || name == "incoming")) {
            for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
                files.push_back(file.path());
            }
        }
    }
    return files;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

class RecoveryTest : public testing::Test {
protected:
    void open() {
        store_.reset();
        store_ = std::make_unique<ObjectStore>(on_disk(root_), clock_);
    }

    SettableClock clock_;
    TestDirectory directory_;
    const std::filesystem::path root_ = directory_ / "objects";
    std::unique_ptr<ObjectStore> store_;
};

TEST_F(RecoveryTest, ObjectsAndKeySurviveARestart) {
    open();
    ASSERT_TRUE(store_->create_bucket("pictures"));
    ASSERT_TRUE(put(*store_, "pictures", "a", "hello"));
    const auto key = store_->own_key();
    EXPECT_EQ(key.access_key_id.size(), 20);
    open();
    EXPECT_EQ(*get(*store_, "pictures", "a"), "hello");
    EXPECT_EQ(store_->own_key().access_key_id, key.access_key_id);
    EXPECT_EQ(store_->own_key().secret_access_key, key.secret_access_key);
    struct stat status {};
    ASSERT_EQ(::stat((root_ / "own-key").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
}

TEST_F(RecoveryTest, BodyWithoutRecordIsAnOrphan) {
    open();
    ASSERT_TRUE(store_->create_bucket("pictures"));
    ASSERT_TRUE(put(*store_, "pictures", "a", "hello"));
    store_.reset();
    // A crash after the rename and before the record, and one in the midst of an upload.
    const std::string name = "ab" + std::string(30, '0');
    write_file(root_ / "ab" / name, "lost");
    write_file(root_ / "incoming" / std::string(32, '1'), "half");
    write_file(root_ / "ab" / "README", "not a body, not ours to delete");
    open();
    EXPECT_FALSE(std::filesystem::exists(root_ / "incoming" / std::string(32, '1')));
    auto check = store_->check(false);
    ASSERT_TRUE(check);
    EXPECT_EQ(check->orphans, 1);
    EXPECT_EQ(check->orphan_bytes, 4);
    EXPECT_EQ(check->bodies, 1);
    EXPECT_TRUE(std::filesystem::exists(root_ / "ab" / name));
    check = store_->check(true);
    EXPECT_EQ(check->orphans_removed, 1);
    EXPECT_FALSE(std::filesystem::exists(root_ / "ab" / name));
    EXPECT_TRUE(std::filesystem::exists(root_ / "ab" / "README"));
    EXPECT_EQ(store_->check(false)->orphans, 0);
    EXPECT_EQ(*get(*store_, "pictures", "a"), "hello");
}

TEST_F(RecoveryTest, OrphansAreSweptInTheBackground) {
    const std::string name = "cd" + std::string(30, '0');
    write_file(root_ / "cd" / name, "lost");
    auto options = on_disk(root_);
    options.sweep_in_background = true;
    store_ = std::make_unique<ObjectStore>(options, clock_);
    EXPECT_TRUE(storage::internal::happens_within(std::chrono::seconds(60), [&] {
        return !std::filesystem::exists(root_ / "cd" / name);
    }));
}

TEST_F(RecoveryTest, MissingAndShortBodiesAreReported) {
    open();
    ASSERT_TRUE(store_->create_bucket("pictures"));
    ASSERT_TRUE(put(*store_, "pictures", "whole", "1"));
    ASSERT_TRUE(put(*store_, "pictures", "gone", "22"));
    ASSERT_TRUE(put(*store_, "pictures", "short", "333"));
    for (const auto& file : body_files(root_)) {
        const auto size = std::filesystem::file_size(file);
        if (size == 2) {
            std::filesystem::remove(file);
        } else if (size == 3) {
            std::filesystem::resize_file(file, 1);
        }
    }
    const auto check = store_->check(true);
    ASSERT_TRUE(check);
    EXPECT_EQ(check->objects, 3);
    EXPECT_EQ(check->missing_count, 2);
    ASSERT_EQ(check->missing.size(), 2);
    EXPECT_EQ(check->missing[0].key, "gone");
    EXPECT_EQ(check->missing[0].problem, "no file");
    EXPECT_EQ(check->missing[1].problem, "1 bytes instead of 3");
    // Damage is an error, never a shorter answer.
    EXPECT_FALSE(get(*store_, "pictures", "gone"));
    EXPECT_FALSE(get(*store_, "pictures", "short"));
    EXPECT_EQ(*get(*store_, "pictures", "whole"), "1");
}

TEST_F(RecoveryTest, NothingIsSeenOfAnUploadThatIsCutOff) {
    open();
    ASSERT_TRUE(store_->create_bucket("pictures"));
    ASSERT_TRUE(put(*store_, "pictures", "a", "before"));
    auto upload = store_->begin_put("pictures", "a", {});
    ASSERT_TRUE(upload);
    ASSERT_TRUE((*upload).append(std::string(1 << 20, 'x')));
    // What a power cut would find now: the files as they are, copied to another place.
    const auto image = directory_ / "image";
    std::filesystem::copy(root_, image, std::filesystem::copy_options::recursive);
    const ObjectStore after(on_disk(image), clock_);
    EXPECT_EQ(*get(after, "pictures", "a"), "before");
    EXPECT_EQ(body_files(image).size(), 1);
}

TEST_F(RecoveryTest, TwoServersDoNotShareADirectory) {
    open();
    EXPECT_THROW(ObjectStore(on_disk(root_), clock_), storage::StoreOpenError);
}

TEST_F(RecoveryTest, BodyInFlightIsNoOrphan) {
    internal::BodyFiles files(directory_ / "bodies", true);
    std::string name;
    {
        auto body = files.create();
        ASSERT_TRUE(body);
        ASSERT_TRUE((*body)->append("x"));
        ASSERT_TRUE((*body)->seal());
        name = (*body)->flight().name();
        EXPECT_TRUE(files.is_busy(name));
        EXPECT_TRUE(std::filesystem::exists(files.path_of(name)));
    }
    EXPECT_FALSE(files.is_busy(name));
    EXPECT_FALSE(std::filesystem::exists(files.path_of(name)));
}

}  // namespace
}  // namespace gateleg::objects

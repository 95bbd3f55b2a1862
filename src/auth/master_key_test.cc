#include "auth/master_key.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/ids.h"

namespace gateleg::auth {
namespace {

namespace fs = std::filesystem;

TEST(MasterKeyTest, OpensWhatItSealedWithTheSameBoundText) {
    const auto key = MasterKey::random();
    for (const auto* plain : {"", "x", "a secret of forty characters, or nearly"}) {
        const auto sealed = key.seal(plain, "id and scope");
        EXPECT_EQ(sealed.size(), std::string_view(plain).size() + 28);
        EXPECT_EQ(key.open(sealed, "id and scope"), plain);
        EXPECT_NE(sealed, key.seal(plain, "id and scope")) << "a nonce was used twice";
        EXPECT_EQ(key.open(sealed, "id and Scope"), std::nullopt);
        EXPECT_EQ(MasterKey::random().open(sealed, "id and scope"), std::nullopt);
    }
}

TEST(MasterKeyTest, SealedBytesDoNotShowTheText) {
    const std::string plain = "a secret of forty characters, or nearly";
    const auto sealed = MasterKey::random().seal(plain, "");
    EXPECT_EQ(sealed.find("secret"), std::string::npos);
}

TEST(MasterKeyTest, NoByteCanBeChanged) {
    const auto key = MasterKey::random();
    const auto sealed = key.seal("secret", "bound");
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        auto bent = sealed;
        bent[i] = static_cast<char>(bent[i] ^ 1);
        EXPECT_EQ(key.open(bent, "bound"), std::nullopt) << i;
        EXPECT_EQ(key.open(sealed.substr(0, i), "bound"), std::nullopt) << i;
    }
    EXPECT_EQ(key.open(sealed + "x", "bound"), std::nullopt);
}

TEST(MasterKeyTest, KnownAnswerOfAes256Gcm) {
    // NIST's test vectors for GCM, 256 bits, test case 16: key, nonce, text, bound text, tag.
    const auto bytes = [](std::string_view hex) {
        std::string out;
        for (std::size_t i = 0; i < hex.size(); i += 2) {
            out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
        }
        return out;
    };
    const auto key =
        MasterKey::parse("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    const auto sealed = bytes(
        "cafebabefacedbaddecaf888"
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        "76fc6ece0f4e1768cddf8853bb2d551b"
    );
    EXPECT_EQ(
        key->open(sealed, bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")),
        bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
              "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
    );
}

TEST(MasterKeyTest, TextIsSixtyFourDigits) {
    const auto key = MasterKey::random();
    const auto again = MasterKey::parse(" " + key.text() + "\n");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text(), key.text());
    EXPECT_EQ(again->fingerprint(), key.fingerprint());
    EXPECT_EQ(key.fingerprint().size(), 16U);
    EXPECT_EQ(key.text().find(key.fingerprint()), std::string::npos);
    for (const auto& text :
         {std::string(),
          std::string("\n"),
          key.text().substr(1),
          key.text() + "0",
          std::string(64, 'g'),
          std::string(64, 'A')}) {
        EXPECT_FALSE(MasterKey::parse(text)) << text;
    }
}

class MasterKeyFileTest : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(data_); }
    void TearDown() override { fs::remove_all(root_); }

    const fs::path root_ = fs::temp_directory_path() / ("gateleg-master-" + random_uuid());
    const fs::path data_ = root_ / "data";
};

TEST_F(MasterKeyFileTest, IsMadeOnceAndForItsOwnerAlone) {
    const auto file = root_ / "settings" / "gateleg" / "master.key";
    EXPECT_EQ(load_master_key(file, data_)->has_value(), false);
    const auto made = load_or_make_master_key(file, data_);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(load_or_make_master_key(file, data_)->text(), made->text());
    EXPECT_EQ((*load_master_key(file, data_))->text(), made->text());

    fs::permissions(file, fs::perms::group_read, fs::perm_options::add);
    const auto open = load_master_key(file, data_);
    ASSERT_FALSE(open);
    EXPECT_NE(open.error().message.find("chmod 600"), std::string::npos);
    EXPECT_EQ(open.error().message.find(made->text()), std::string::npos);
}

TEST_F(MasterKeyFileTest, IsRefusedInTheDataDirectory) {
    fs::create_symlink(data_, root_ / "link");
    for (const auto& file :
         {data_ / "master.key",
          data_ / "a" / "b" / "master.key",
          root_ / "link" / "master.key",
          root_ / "x" / ".." / "data" / "k"}) {
        const auto made = load_or_make_master_key(file, data_);
        ASSERT_FALSE(made) << file;
        EXPECT_NE(made.error().message.find("lies in the data directory"), std::string::npos);
        EXPECT_FALSE(fs::exists(file));
    }
    EXPECT_TRUE(load_or_make_master_key(root_ / "data2" / "master.key", data_));
}

TEST_F(MasterKeyFileTest, WhatIsNoKeyIsRefused) {
    const auto file = root_ / "master.key";
    std::ofstream(file) << "hunter2";
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    const auto loaded = load_master_key(file, data_);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("is no master key"), std::string::npos);
    EXPECT_EQ(loaded.error().message.find("hunter2"), std::string::npos);
    EXPECT_FALSE(load_master_key(root_, data_)) << "a folder";
}

}  // namespace
}  // namespace gateleg::auth

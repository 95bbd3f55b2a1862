#include "auth/key_ring.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/ids.h"

namespace gateleg::auth {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNow = 1'700'000'000;

class KeyRingTest : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(data_);
        fs::permissions(data_, fs::perms::owner_all);
    }
    void TearDown() override { fs::remove_all(root_); }

    std::unique_ptr<KeyRing> open() const {
        auto ring = KeyRing::open(options_);
        EXPECT_TRUE(ring) << ring.error().message;
        return *std::move(ring);
    }
    std::string open_error() const {
        const auto ring = KeyRing::open(options_);
        return ring ? "opened" : ring.error().message;
    }
    std::string everything_in_data() const {
        std::ostringstream all;
        for (const auto& entry : fs::recursive_directory_iterator(data_)) {
            if (entry.is_regular_file()) {
                all << std::ifstream(entry.path()).rdbuf();
            }
        }
        return all.str();
    }

    const fs::path root_ = fs::temp_directory_path() / ("gateleg-ring-" + random_uuid());
    const fs::path data_ = root_ / "data";
    const fs::path master_ = root_ / "config" / "master.key";
    KeyRingOptions options_{{}, data_, master_};
};

TEST_F(KeyRingTest, TheFirstKeyClosesTheGate) {
    const auto ring = open();
    EXPECT_EQ(ring->gate(), nullptr);
    EXPECT_FALSE(has_keys(data_));
    const auto made = ring->create({.name = "app", .scope = "read: T"}, kNow);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made->first);
    EXPECT_EQ(made->id.size(), 20U);
    EXPECT_EQ(made->secret.size(), 40U);
    EXPECT_EQ(made->scope, "read:T");
    const auto gate = ring->gate();
    ASSERT_NE(gate, nullptr);
    const auto* found = gate->find(made->id, kNow);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->secret_access_key, made->secret);
    EXPECT_TRUE(found->scope->allows(Action::kRead, ResourceKind::kTable, "T"));
    EXPECT_FALSE(ring->create({.name = "b"}, kNow)->first);
    EXPECT_TRUE(has_keys(data_));
}

TEST_F(KeyRingTest, KeysOutliveTheProcessAndAreNeverPlain) {
    const auto made = *open()->create({.name = "app", .expires_seconds = kNow + 60}, kNow);
    EXPECT_EQ(everything_in_data().find(made.secret), std::string::npos);
    const auto ring = open();
    const auto* found = ring->gate()->find(made.id, kNow);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->secret_access_key, made.secret);
    EXPECT_EQ(ring->gate()->find(made.id, kNow + 60), nullptr) << "it has ended";
    const auto list = ring->list();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].created_seconds, kNow);
    EXPECT_EQ(list[0].expires_seconds, kNow + 60);
}

TEST_F(KeyRingTest, RevokingTheLastKeyLeavesTheGateClosed) {
    const auto ring = open();
    const auto made = *ring->create({.name = "app"}, kNow);
    const auto before = ring->gate();
    ASSERT_TRUE(ring->revoke(made.id));
    ASSERT_NE(ring->gate(), nullptr);
    EXPECT_EQ(ring->gate()->find(made.id, kNow), nullptr);
    EXPECT_NE(before->find(made.id, kNow), nullptr) << "a snapshot that is in use stays whole";
    EXPECT_EQ(ring->revoke(made.id).error().message, "there is no key " + made.id);
    EXPECT_TRUE(ring->list().empty());
}

TEST_F(KeyRingTest, RevokedStaysRevokedAndNeedsNoMasterKey) {
    {
        const auto ring = open();
        const auto made = *ring->create({.name = "app"}, kNow);
        ASSERT_TRUE(ring->revoke(made.id));
    }
    fs::remove(master_);
    EXPECT_NE(open()->gate(), nullptr);
}

TEST_F(KeyRingTest, AMissingOrWrongMasterKeyIsRefused) {
    const auto made = *open()->create({.name = "app"}, kNow);
    const auto kept = root_ / "kept";
    fs::rename(master_, kept);
    EXPECT_NE(open_error().find("master key that opens them is missing"), std::string::npos);
    EXPECT_NE(open_error().find(master_.string()), std::string::npos);
    ASSERT_TRUE(load_or_make_master_key(master_, data_));
    EXPECT_NE(open_error().find("sealed with another master key"), std::string::npos);
    fs::rename(kept, master_);
    EXPECT_NE(open()->gate()->find(made.id, kNow), nullptr);
}

TEST_F(KeyRingTest, AChangedRowIsRefused) {
    static_cast<void>(*open()->create({.name = "app", .scope = "read:T"}, kNow));
    std::ostringstream text;
    text << std::ifstream(data_ / "keys").rdbuf();
    auto bent = text.str();
    bent.replace(bent.find("read:T"), 6, "read:U");
    std::ofstream(data_ / "keys") << bent;
    EXPECT_NE(open_error().find("was changed outside of Gateleg"), std::string::npos);
}

TEST_F(KeyRingTest, BadRequestsNameTheirField) {
    const auto ring = open();
    const auto error = [&](const KeyRequest& request) {
        return ring->create(request, kNow).error().message;
    };
    EXPECT_TRUE(error({.name = "a b"}).starts_with("name: 'a b'"));
    EXPECT_TRUE(error({.name = "a", .scope = "all"}).starts_with("scope: 'all'"));
    EXPECT_TRUE(error({.name = "a", .expires_seconds = kNow}).starts_with("expires: "));
    EXPECT_EQ(ring->gate(), nullptr);
    EXPECT_FALSE(fs::exists(master_));
    fs::permissions(data_, fs::perms::group_read, fs::perm_options::add);
    EXPECT_NE(error({.name = "a"}).find("chmod 700"), std::string::npos);
    options_.directory.clear();
    EXPECT_FALSE(open()->create({.name = "a"}, kNow));
}

TEST_F(KeyRingTest, OneProcessAtATimeChangesKeys) {
    const auto first = open();
    EXPECT_EQ(open_error(), "opened") << "without keys nothing is locked";
    static_cast<void>(*first->create({.name = "app"}, kNow));
    EXPECT_NE(open_error().find("already in use"), std::string::npos);
}

TEST_F(KeyRingTest, KeysOfACredentialsFileStandBesideThem) {
    const auto file = root_ / "credentials";
    std::ofstream(file) << "[ci]\naws_access_key_id = CI\naws_secret_access_key = s\n";
    options_.credentials = file;
    const auto ring = open();
    ASSERT_NE(ring->gate(), nullptr);
    const auto made = *ring->create({.name = "app"}, kNow);
    EXPECT_NE(ring->gate()->find("CI", kNow), nullptr);
    EXPECT_NE(ring->gate()->find(made.id, kNow), nullptr);
    EXPECT_NE(ring->revoke("CI").error().message.find("--credentials"), std::string::npos);
    const auto list = ring->list();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_TRUE(list[0].from_file);
    EXPECT_EQ(list[1].id, made.id);
}

TEST_F(KeyRingTest, LastUseIsKeptAboutRight) {
    std::string id;
    {
        const auto ring = open();
        id = ring->create({.name = "app"}, kNow)->id;
        ring->start_saving();
        ring->gate()->find(id, kNow)->note_use(kNow + 5);
        EXPECT_EQ(ring->list()[0].used_seconds, kNow + 5);
    }
    EXPECT_EQ(open()->list()[0].used_seconds, kNow + 5);
    std::ofstream(data_ / "keys-used") << "nonsense\n" << id << "\n" << id << " 7\n\n x";
    EXPECT_EQ(open()->list()[0].used_seconds, 7);
}

}  // namespace
}  // namespace gateleg::auth

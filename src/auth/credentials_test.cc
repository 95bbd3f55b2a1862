#include "auth/credentials.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

namespace gateleg::auth {
namespace {

namespace fs = std::filesystem;

std::string error_of(std::string_view text) {
    const auto result = Credentials::parse(text, "keys");
    return result ? "no error" : result.error().message;
}

TEST(CredentialsTest, ReadsProfilesAsTheAwsToolsWriteThem) {
    const auto credentials = Credentials::parse(
        "\xef\xbb\xbf# comment\r\n"
        "[default]\r\n"
        "aws_access_key_id = AKIAEXAMPLE\r\n"
        "aws_secret_access_key=a/b+c=#d\r\n"
        "region = eu-west-1\r\n"
        "\r\n"
        "; another\n"
        "[role]\n"
        "role_arn = arn:aws:iam::1:role/x\n"
        "s3 =\n"
        "  max_concurrent_requests = 20\n"
        "[ reader ]\n"
        "aws_access_key_id=local\n"
        "aws_secret_access_key=secret\n"
        "gateleg_scope = read",
        "keys"
    );
    ASSERT_TRUE(credentials) << credentials.error().message;
    EXPECT_EQ(credentials->size(), 2U);
    const auto* first = credentials->find("AKIAEXAMPLE", 0);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->profile, "default");
    EXPECT_EQ(first->secret_access_key, "a/b+c=#d");
    EXPECT_EQ(first->scope->text(), "full");
    const auto* second = credentials->find("local", 0);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(second->profile, "reader");
    EXPECT_EQ(second->scope->text(), "read");
    EXPECT_EQ(credentials->find("akiaexample", 0), nullptr);
    EXPECT_EQ(credentials->find("", 0), nullptr);
}

TEST(CredentialsTest, ErrorsNameTheFileAndLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "keys: no profile has aws_access_key_id and aws_secret_access_key"},
        {"[a]\nregion=x", "keys: no profile has aws_access_key_id and aws_secret_access_key"},
        {"\naws_access_key_id = x", "keys:2: a setting before the first [profile]"},
        {"[a\n", "keys:1: expected a profile such as [default]"},
        {"[]", "keys:1: expected a profile such as [default]"},
        {"[", "keys:1: expected a profile such as [default]"},
        {"[a]\nhunter2", "keys:2: expected 'name = value'"},
        {"[a]\n[b]\n[a]", "keys:3: profile 'a' was begun on line 1 already"},
        {"[a]\naws_access_key_id=x\naws_secret_access_key=",
         "keys:3: aws_secret_access_key is empty"},
        {"[a]\naws_access_key_id=\n", "keys:2: aws_access_key_id is empty"},
        {"[a]\naws_access_key_id=x", "keys:1: profile 'a' has no aws_secret_access_key"},
        {"\n[a]\naws_secret_access_key=x", "keys:2: profile 'a' has no aws_access_key_id"},
        {"[a]\ngateleg_scope=read", "keys:1: profile 'a' has no aws_access_key_id"},
        {"[a]\naws_access_key_id=x\naws_secret_access_key=s\ngateleg_scope=reads",
         "keys:4: gateleg_scope: 'reads' is not read, write or admin"},
        {"[a]\ngateleg_scop=read", "keys:2: unknown setting 'gateleg_scop'"},
        {"[a]\naws_access_key_id=x\naws_access_key_id=y",
         "keys:3: aws_access_key_id is set twice in this profile"},
        {"[a]\naws_access_key_id=x\naws_secret_access_key=s\n[b]\naws_access_key_id=x\n"
         "aws_secret_access_key=t",
         "keys:5: profile 'a' has this aws_access_key_id already"},
        {"[a]\naws_access_key_id=x/y\naws_secret_access_key=s",
         "keys:2: aws_access_key_id may hold letters, digits, '_', '-' and '.' only, at most 128"},
        {"[a]\naws_session_token=x",
         "keys:2: aws_session_token: temporary credentials cannot be accepted; use a permanent key "
         "pair"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(error_of(text), expected) << text;
    }
}

class CredentialsFileTest : public testing::Test {
protected:
    CredentialsFileTest() {
        std::string pattern = (fs::temp_directory_path() / "gateleg-credentials-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    ~CredentialsFileTest() override { fs::remove_all(folder_); }

    fs::path write(std::string_view text, fs::perms permissions) const {
        const auto file = folder_ / "keys";
        std::ofstream(file) << text;
        fs::permissions(file, permissions);
        return file;
    }

    static constexpr std::string_view kText =
        "[a]\naws_access_key_id=x\naws_secret_access_key=verysecret\n";
    fs::path folder_;
};

TEST_F(CredentialsFileTest, WarnsOfAFileThatOthersMayRead) {
    const auto owner = fs::perms::owner_read | fs::perms::owner_write;
    testing::internal::CaptureStderr();
    EXPECT_TRUE(Credentials::load(write(kText, owner)));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");

    testing::internal::CaptureStderr();
    EXPECT_TRUE(Credentials::load(write(kText, owner | fs::perms::others_read)));
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("chmod 600"), std::string::npos) << log;
    EXPECT_EQ(log.find("verysecret"), std::string::npos) << log;
}

TEST_F(CredentialsFileTest, AFileThatCannotBeReadIsNamed) {
    const auto missing = (folder_ / "missing").string();
    EXPECT_EQ(
        Credentials::load(missing).error().message,
        missing + ": cannot be read: No such file or directory"
    );
    EXPECT_EQ(
        Credentials::load(folder_).error().message,
        folder_.string() + ": cannot be read: Is a directory"
    );
}

TEST_F(CredentialsFileTest, AHugeFileIsRefused) {
    const auto file = write(std::string(2 << 20, '#'), fs::perms::owner_read);
    EXPECT_EQ(
        Credentials::load(file).error().message,
        file.string() + ": larger than 1 MiB, not a credentials file"
    );
}

}  // namespace
}  // namespace gateleg::auth

#include "remote/credentials_chain.h"

#include <fstream>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/time_text.h"
#include "remote/test_server.h"

namespace gateleg::remote {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow = 1'700'000'000'000;

std::string document(const std::string& id, std::int64_t expires_millis) {
    return R"({"Code":"Success","AccessKeyId":")" + id +
           R"(","SecretAccessKey":"secret","Token":"token","Expiration":")" +
           render_rfc3339(expires_millis) + R"("})";
}

class CredentialsChainTest : public ::testing::Test {
protected:
    void SetUp() override {
        clock.freeze_at(kNow);
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder = std::filesystem::path(::testing::TempDir()) /
                 ("gateleg_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        // Nobody answers there.
        options.metadata_endpoint = "http://127.0.0.1:1";
        options.fetch_timeout = 1000ms;
    }
    void TearDown() override {
        client.stop();
        std::filesystem::remove_all(folder);
    }

    void write_file(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name) << text;
    }

    Result<AwsCredentials> get() {
        if (chain == nullptr) {
            chain = std::make_unique<CredentialsChain>(client, clock, options);
        }
        std::promise<Result<AwsCredentials>> promise;
        chain->get([&](Result<AwsCredentials> found) { promise.set_value(std::move(found)); });
        return promise.get_future().get();
    }

    SettableClock clock;
    HttpClient client;
    CredentialsOptions options;
    std::filesystem::path folder;
    std::unique_ptr<CredentialsChain> chain;
};

TEST_F(CredentialsChainTest, GivenKeysComeFirst) {
    write_file("credentials", "[default]\naws_access_key_id = F\naws_secret_access_key = s\n");
    options.file = folder / "credentials";
    options.access_key_id = "A";
    options.secret_access_key = "B";
    options.session_token = "C";
    const auto found = get();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->access_key_id, "A");
    EXPECT_EQ(found->secret_access_key, "B");
    EXPECT_EQ(found->session_token, "C");
}

TEST_F(CredentialsChainTest, ProfileOfAFile) {
    write_file(
        "credentials",
        "# comment\n[default]\naws_access_key_id = D\naws_secret_access_key = d\n\n"
        "[ work ]\r\naws_access_key_id=W\r\naws_secret_access_key = w=/+\r\n"
        "aws_session_token = t\r\nregion = eu-west-1\r\n"
    );
    options.file = folder / "credentials";
    options.profile = "work";
    const auto found = get();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->access_key_id, "W");
    EXPECT_EQ(found->secret_access_key, "w=/+");
    EXPECT_EQ(found->session_token, "t");
    EXPECT_FALSE(found->expires_seconds);
}

TEST_F(CredentialsChainTest, FileIsReadAgainWhenItsKeysWereRefused) {
    write_file("credentials", "[default]\naws_access_key_id = D\naws_secret_access_key = d\n");
    options.file = folder / "credentials";
    const auto before = get();
    ASSERT_TRUE(before);
    write_file("credentials", "[default]\naws_access_key_id = E\naws_secret_access_key = e\n");
    EXPECT_EQ(get()->access_key_id, "D");
    chain->forget(*before);
    EXPECT_EQ(get()->access_key_id, "E");
    chain->forget(*before);
    EXPECT_EQ(get()->access_key_id, "E");
}

TEST(CredentialsTextTest, ProfileForms) {
    EXPECT_TRUE(find_profile("[profile x]\naws_access_key_id=a\naws_secret_access_key=b", "x"));
    EXPECT_FALSE(find_profile("[y]\naws_access_key_id=a\naws_secret_access_key=b", "x"));
    EXPECT_FALSE(find_profile("[x]\naws_access_key_id=a\n[y]\naws_secret_access_key=b", "x"));
    EXPECT_FALSE(find_profile("[x]\naws_access_key_id\n[\n=\n", "x"));
    EXPECT_FALSE(find_profile("", "x"));
}

TEST(CredentialsTextTest, ContainerUriLeadsNowhereElse) {
    for (const auto* uri :
         {"https://example.com/x",
          "http://localhost:80/x",
          "http://127.0.0.1/x",
          "http://[::1]:9/x",
          "http://169.254.170.2/x",
          "http://169.254.170.23/v1/credentials",
          "http://[fd00:ec2::23]/v1/credentials"}) {
        EXPECT_TRUE(is_container_uri_allowed(uri)) << uri;
    }
    for (const auto* uri :
         {"http://example.com/x",
          "http://169.254.169.254/x",
          "http://127.0.0.1@example.com/",
          "http://example.com\\@127.0.0.1/",
          "http://127.0.0.1.example.com/",
          "http://10.0.0.1",
          "ftp://127.0.0.1",
          "file:///etc/passwd",
          ""}) {
        EXPECT_FALSE(is_container_uri_allowed(uri)) << uri;
    }
}

TEST_F(CredentialsChainTest, ContainerWithTokenFile) {
    TestServer server([](const SeenRequest& request, int /*number*/) {
        return request.has("GET /role?x=1 HTTP/1.1\r\n") &&
                       request.has("Authorization: let me in\r\n")
                   ? ok(document("CONTAINER", kNow + 3'600'000))
                   : Answer{http_reply(403, "")};
    });
    write_file("token", "let me in\n");
    options.container_full_uri = server.url() + "/role?x=1";
    options.container_token_file = folder / "token";
    const auto found = get();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->access_key_id, "CONTAINER");
    EXPECT_EQ(found->session_token, "token");
    EXPECT_EQ(found->expires_seconds, kNow / 1000 + 3600);
    EXPECT_TRUE(get());
    EXPECT_EQ(server.count(), 1U) << "kept";
}

TEST_F(CredentialsChainTest, ContainerRelativeUri) {
    TestServer server([](const SeenRequest& request, int /*number*/) {
        return request.has("GET /v2/credentials/id ") ? ok(document("ECS", kNow + 3'600'000))
                                                      : Answer{http_reply(404, "")};
    });
    options.container_endpoint = server.url();
    options.container_relative_uri = "/v2/credentials/id";
    ASSERT_EQ(get()->access_key_id, "ECS");
}

TEST_F(CredentialsChainTest, ContainerFailuresAreTold) {
    options.container_full_uri = "http://example.com/x";
    EXPECT_EQ(get().error().code, ErrorCode::kAccessDenied);
    for (const auto& answer :
         {Answer{http_reply(500, "")},
          Answer{"", 0ms, Answer::Then::kReset},
          ok("{}"),
          ok("not json with a secret"),
          ok(R"({"AccessKeyId":"a","SecretAccessKey":"secret","Expiration":"soon"})"),
          ok(R"({"Code":"Failed","AccessKeyId":"a","SecretAccessKey":"secret"})")}) {
        TestServer server([&](const SeenRequest& /*request*/, int /*number*/) { return answer; });
        options.container_full_uri = server.url() + "/";
        chain.reset();
        const auto found = get();
        ASSERT_FALSE(found) << answer.bytes;
        EXPECT_EQ(found.error().code, ErrorCode::kServiceUnavailable);
        EXPECT_EQ(found.error().message.find("secret"), std::string::npos);
    }
}

Answer instance_metadata(const SeenRequest& request, const std::string& credentials) {
    if (request.has("PUT /latest/api/token HTTP/1.1\r\n") &&
        request.has("X-aws-ec2-metadata-token-ttl-seconds: 21600\r\n")) {
        return {http_reply(200, "SESSION")};
    }
    if (!request.has("X-aws-ec2-metadata-token: SESSION\r\n")) {
        return {http_reply(401, "")};
    }
    if (request.has("GET /latest/meta-data/iam/security-credentials/ ")) {
        return {http_reply(200, "my-role\n")};
    }
    return request.has("GET /latest/meta-data/iam/security-credentials/my-role ")
               ? ok(credentials)
               : Answer{http_reply(404, "")};
}

TEST_F(CredentialsChainTest, InstanceMetadataVersionTwo) {
    TestServer server([](const SeenRequest& request, int /*number*/) {
        return instance_metadata(request, document("INSTANCE", kNow + 3'600'000));
    });
    options.metadata_endpoint = server.url();
    const auto found = get();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->access_key_id, "INSTANCE");
    EXPECT_EQ(server.count(), 3U);
}

TEST_F(CredentialsChainTest, NoneIsSaidWithWhereItLooked) {
    options.file = folder / "nothing";
    options.profile = "work";
    const auto found = get();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kAccessDenied);
    EXPECT_NE(found.error().message.find("profile 'work'"), std::string::npos);
    options.use_instance_metadata = false;
    chain.reset();
    EXPECT_NE(get().error().message.find("turned off"), std::string::npos);
}

TEST_F(CredentialsChainTest, AreFetchedAgainBeforeTheyExpire) {
    std::atomic<std::int64_t> expires{kNow + 3'600'000};
    std::atomic<bool> down{false};
    TestServer server([&](const SeenRequest& /*request*/, int number) {
        return down ? Answer{http_reply(500, "")}
                    : ok(document("KEY" + std::to_string(number), expires));
    });
    options.container_full_uri = server.url() + "/";
    EXPECT_EQ(get()->access_key_id, "KEY0");

    // Four minutes left: the old ones at once, new ones meanwhile.
    clock.freeze_at(kNow + 3'600'000 - 240'000);
    expires = kNow + 7'200'000;
    EXPECT_EQ(get()->access_key_id, "KEY0");
    for (int i = 0; i < 1000 && get()->access_key_id == "KEY0"; ++i) {
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_EQ(get()->access_key_id, "KEY1");

    // The endpoint is down when they are about to expire: they are used to the end.
    down = true;
    clock.freeze_at(kNow + 7'200'000 - 10'000);
    EXPECT_EQ(get()->access_key_id, "KEY1");
    clock.freeze_at(kNow + 7'200'000);
    EXPECT_FALSE(get());
    down = false;
    expires = kNow + 10'000'000;
    EXPECT_TRUE(get());
}

TEST_F(CredentialsChainTest, ManyWhoWaitShareOneFetch) {
    TestServer server([](const SeenRequest& /*request*/, int /*number*/) {
        auto answer = ok(document("SHARED", kNow + 3'600'000));
        answer.delay = 100ms;
        return answer;
    });
    options.container_full_uri = server.url() + "/";
    chain = std::make_unique<CredentialsChain>(client, clock, options);
    std::vector<std::thread> threads;
    std::atomic<int> found{0};
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] { found += get()->access_key_id == "SHARED" ? 1 : 0; });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(found, 8);
    EXPECT_EQ(server.count(), 1U);
}

}  // namespace
}  // namespace gateleg::remote

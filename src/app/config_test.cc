#include "app/config.h"

#include <gtest/gtest.h>

namespace gateleg::app {
namespace {

TEST(ConfigTest, ParsesAddresses) {
    EXPECT_EQ(parse_address("off"), std::nullopt);
    EXPECT_EQ(parse_address("127.0.0.1:8000")->port, 8000);
    EXPECT_EQ(parse_address("[::1]:0")->host, "::1");
    EXPECT_EQ(parse_address(":9000")->host, "127.0.0.1");
    for (const auto* text : {"", "8000", "host:", "host:x", "host:65536", "host:-1"}) {
        EXPECT_THROW(parse_address(text), ConfigError) << text;
    }
}

TEST(ConfigTest, LoopbackNeedsNeitherCredentialsNorTls) {
    EXPECT_NO_THROW(check(Config{}));
}

TEST(ConfigTest, ARemoteStoreIsOpenedToNobodyWithoutCredentials) {
    Config config;
    config.store = "http://127.0.0.1:8000";
    EXPECT_THROW(check(config), ConfigError);
    config.credentials = "keys.ini";
    EXPECT_NO_THROW(check(config));
    config.credentials.reset();
    config.dynamodb.reset();
    EXPECT_NO_THROW(check(config));
}

TEST(ConfigTest, OtherAddressesNeedCredentialsAndTlsUnlessWaivedByName) {
    Config config;
    config.dynamodb = Address{"0.0.0.0", 8000};
    EXPECT_THROW(check(config), ConfigError);
    config.anonymous = true;
    EXPECT_THROW(check(config), ConfigError);
    config.insecure = true;
    EXPECT_NO_THROW(check(config));
    config.anonymous = false;
    EXPECT_THROW(check(config), ConfigError);
    config.credentials = "credentials";
    EXPECT_NO_THROW(check(config));
    config.test_clock = true;
    EXPECT_THROW(check(config), ConfigError);
}

TEST(ConfigTest, ModelsNeedTheHttpFace) {
    Config config;
    config.models = {"model.yaml"};
    EXPECT_NO_THROW(check(config));
    config.http.reset();
    EXPECT_THROW(check(config), ConfigError);
}

TEST(ConfigTest, TlsNeedsBothFiles) {
    Config config;
    config.tls_certificate = "cert.pem";
    EXPECT_THROW(check(config), ConfigError);
}

}  // namespace
}  // namespace gateleg::app

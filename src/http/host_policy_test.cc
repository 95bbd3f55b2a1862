#include "http/host_policy.h"

#include <string>

#include <gtest/gtest.h>

#include "http/request_parser.h"

namespace gateleg::http {
namespace {

HostVerdict judge(const std::string& lines, const HostPolicy& policy, const char* version = "1.1") {
    const std::string text = std::string("GET / HTTP/") + version + "\r\n" + lines + "\r\n";
    RequestParser parser;
    RequestHead head;
    EXPECT_EQ(parser.feed(text, head), RequestParser::State::kComplete) << parser.reason();
    return check_host(head, policy);
}

const HostPolicy kPolicy{{"gateleg.example", "fixed.example:8443"}, {"https://app.example"}};

TEST(HostPolicyTest, HostIsAnAddressLocalhostOrConfigured) {
    for (const auto* host :
         {"127.0.0.1",
          "127.0.0.1:8000",
          "192.168.1.5:80",
          "[::1]",
          "[::1]:8000",
          "[fe80::1]",
          "localhost",
          "LocalHost:8000",
          "localhost:",
          "bucket.localhost:9000",
          "a.b.localhost",
          "gateleg.example",
          "GATELEG.example:1",
          "fixed.example:8443"}) {
        EXPECT_EQ(judge(std::string("Host: ") + host + "\r\n", kPolicy), HostVerdict::kAllowed)
            << host;
    }
    for (const auto* host :
         {"",
          "evil.example",
          "evillocalhost",
          "localhost.evil.example",
          "127.0.0.1.evil.example",
          "fixed.example",
          "fixed.example:1",
          "sub.gateleg.example",
          "localhost:http",
          "localhost:123456",
          "localhost:80:80",
          "user@localhost",
          "::1",
          "[::1",
          "[::1]x",
          "[localhost]",
          "0x7f.1",
          "2130706433",
          "127.1",
          "localhost, evil.example"}) {
        EXPECT_EQ(judge(std::string("Host: ") + host + "\r\n", kPolicy), HostVerdict::kForeignHost)
            << host;
    }
}

TEST(HostPolicyTest, OriginIsOnLoopbackOrListed) {
    for (const auto* origin :
         {"http://localhost:3000",
          "https://localhost",
          "http://x.localhost",
          "http://127.0.0.1:1",
          "http://127.9.9.9",
          "http://[::1]:5",
          "https://app.example"}) {
        EXPECT_EQ(
            judge(std::string("Host: localhost\r\nOrigin: ") + origin + "\r\n", kPolicy),
            HostVerdict::kAllowed
        ) << origin;
    }
    for (const auto* origin :
         {"null",
          "",
          "http://evil.example",
          "http://app.example",
          "https://app.example:444",
          "http://192.168.1.5",
          "https://gateleg.example",
          "http://localhost.evil.example",
          "file://",
          "http://",
          "http://localhost@evil.example",
          "chrome-extension://localhost",
          "http://localhost/path",
          "http://[::2]"}) {
        EXPECT_EQ(
            judge(std::string("Host: localhost\r\nOrigin: ") + origin + "\r\n", kPolicy),
            HostVerdict::kForeignOrigin
        ) << origin;
    }
    EXPECT_EQ(
        judge("Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil\r\n", kPolicy),
        HostVerdict::kForeignOrigin
    );
}

TEST(HostPolicyTest, OldClientsMayOmitHost) {
    EXPECT_EQ(judge("", kPolicy, "1.0"), HostVerdict::kAllowed);
    EXPECT_EQ(judge("Origin: http://evil\r\n", kPolicy, "1.0"), HostVerdict::kForeignOrigin);
    EXPECT_EQ(judge("Host: evil\r\n", kPolicy, "1.0"), HostVerdict::kForeignHost);
}

}  // namespace
}  // namespace gateleg::http

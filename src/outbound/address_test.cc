#include "outbound/address.h"

#include <cstring>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace gateleg::outbound {
namespace {

bool is_public_text(const char* text) {
    sockaddr_storage storage{};
    sockaddr_in four{};
    sockaddr_in6 six{};
    if (::inet_pton(AF_INET, text, &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        std::memcpy(&storage, &four, sizeof four);
    } else {
        EXPECT_EQ(::inet_pton(AF_INET6, text, &six.sin6_addr), 1) << text;
        six.sin6_family = AF_INET6;
        std::memcpy(&storage, &six, sizeof six);
    }
    const auto* generic = reinterpret_cast<const sockaddr*>(&storage);
    EXPECT_FALSE(address_text(*generic).empty());
    return is_public(*generic);
}

TEST(AddressTest, OnlyThePublicInternet) {
    for (const auto* text :
         {"8.8.8.8",
          "1.1.1.1",
          "172.15.255.255",
          "172.32.0.1",
          "100.63.255.255",
          "100.128.0.1",
          "169.253.1.1",
          "192.167.1.1",
          "223.255.255.255",
          "2606:4700::1111",
          "2a00:1450:4001::1",
          "::ffff:8.8.8.8"}) {
        EXPECT_TRUE(is_public_text(text)) << text;
    }
    for (const auto* text : {"0.0.0.0",         "10.1.2.3",         "100.64.0.1", "127.0.0.1",
                             "127.255.255.254", "169.254.169.254",  "172.16.0.1", "172.31.255.255",
                             "192.0.0.8",       "192.168.1.1",      "198.18.0.1", "198.19.255.255",
                             "203.0.113.9",     "224.0.0.1",        "239.1.1.1",  "240.0.0.1",
                             "255.255.255.255", "168.63.129.16",    "::",         "::1",
                             "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::7f00:1",   "64:ff9b::a00:1",
                             "fc00::1",         "fd12:3456::1",     "fe80::1",    "fd00:ec2::254",
                             "ff02::1",         "2001:db8::1",      "2001::1",    "2002:7f00:1::",
                             "3fff::1"}) {
        EXPECT_FALSE(is_public_text(text)) << text;
    }
}

TEST(AllowListTest, NamesHostAndPort) {
    const auto list = AllowList::parse(" minio.internal:9000,[::1]:25 127.0.0.1:8025,");
    ASSERT_TRUE(list);
    EXPECT_TRUE(list->allows("minio.internal", 9000));
    EXPECT_TRUE(list->allows("MINIO.internal.", 9000));
    EXPECT_TRUE(list->allows("[::1]", 25));
    EXPECT_TRUE(list->allows("127.0.0.1", 8025));
    EXPECT_FALSE(list->allows("127.0.0.1", 8026));
    EXPECT_FALSE(list->allows("internal", 9000));
    EXPECT_FALSE(list->allows("127.0.0.2", 8025));
    EXPECT_FALSE(AllowList().allows("127.0.0.1", 80));
    for (const auto* bad : {"localhost", "a:0", "a:70000", ":80", "a:b", "a:80x"}) {
        EXPECT_FALSE(AllowList::parse(bad)) << bad;
    }
}

}  // namespace
}  // namespace gateleg::outbound

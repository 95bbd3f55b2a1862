#include "auth/scope.h"

#include <gtest/gtest.h>

namespace gateleg::auth {
namespace {

using enum Action;

bool allows_table(const Scope& scope, Action action, std::string_view name) {
    return scope.allows(action, ResourceKind::kTable, name);
}
bool allows_bucket(const Scope& scope, Action action, std::string_view name) {
    return scope.allows(action, ResourceKind::kBucket, name);
}

TEST(ScopeTest, AWordAloneIsForEverything) {
    const auto read = *Scope::parse("read");
    for (const auto* name : {"Orders", "*"}) {
        EXPECT_TRUE(allows_table(read, kRead, name));
        EXPECT_TRUE(allows_bucket(read, kRead, name));
        EXPECT_FALSE(allows_table(read, kWrite, name));
        EXPECT_FALSE(allows_table(read, kAdmin, name));
    }
    const auto write = *Scope::parse("write");
    EXPECT_TRUE(allows_table(write, kWrite, "Orders"));
    EXPECT_FALSE(allows_table(write, kRead, "Orders"));
    EXPECT_FALSE(allows_table(write, kAdmin, "Orders"));
    for (const auto* word : {"admin", "full", "read;admin"}) {
        const auto all = *Scope::parse(word);
        EXPECT_TRUE(all.allows_everything());
        for (const auto action : {kRead, kWrite, kAdmin}) {
            EXPECT_TRUE(allows_table(all, action, "*")) << word;
            EXPECT_TRUE(allows_bucket(all, action, "*")) << word;
        }
    }
    EXPECT_FALSE(Scope::parse("read;write")->allows_everything());
    EXPECT_FALSE(Scope::parse("admin:*")->allows_everything());
}

TEST(ScopeTest, NamesLimitAGrant) {
    const auto scope = *Scope::parse("read:Orders,Users*; write: Orders");
    EXPECT_EQ(scope.text(), "read:Orders,Users*;write:Orders");
    EXPECT_TRUE(allows_table(scope, kRead, "Orders"));
    EXPECT_TRUE(allows_table(scope, kRead, "Users"));
    EXPECT_TRUE(allows_table(scope, kRead, "Users-2026"));
    EXPECT_TRUE(allows_table(scope, kWrite, "Orders"));
    for (const auto* name : {"", "Order", "Orders2", "orders", "xUsers", "*", "U*"}) {
        EXPECT_FALSE(allows_table(scope, kRead, name)) << name;
    }
    EXPECT_FALSE(allows_table(scope, kWrite, "Users"));
    EXPECT_FALSE(allows_table(scope, kAdmin, "Orders"));
    EXPECT_FALSE(allows_bucket(scope, kRead, "Orders"));
}

TEST(ScopeTest, BucketsAreNamedApartFromTables) {
    const auto scope = *Scope::parse("read:s3:photos,Orders;admin:s3:dev-*");
    EXPECT_TRUE(allows_bucket(scope, kRead, "photos"));
    EXPECT_FALSE(allows_table(scope, kRead, "photos"));
    EXPECT_TRUE(allows_table(scope, kRead, "Orders"));
    EXPECT_TRUE(allows_bucket(scope, kWrite, "dev-a"));
    EXPECT_FALSE(allows_bucket(scope, kRead, "*"));
    EXPECT_FALSE(allows_table(scope, kAdmin, "dev-a"));
}

TEST(ScopeTest, AllTablesAreAskedForByAStar) {
    EXPECT_TRUE(allows_table(*Scope::parse("read:*"), kRead, kEveryName));
    EXPECT_FALSE(allows_bucket(*Scope::parse("read:*"), kRead, kEveryName));
    for (const auto* text : {"read:Orders", "read:O*", "read:*s", "read:a,b*,*c", "write:*"}) {
        EXPECT_FALSE(allows_table(*Scope::parse(text), kRead, kEveryName)) << text;
    }
}

TEST(ScopeTest, StarsMatchAnythingBetween) {
    const auto scope = *Scope::parse("read:a*b*c,x**y");
    for (const auto* name : {"abc", "aXbYc", "abbcc", "abcabc", "xy", "x.y"}) {
        EXPECT_TRUE(allows_table(scope, kRead, name)) << name;
    }
    for (const auto* name : {"ab", "acb", "abcd", "x", "y", "xyz"}) {
        EXPECT_FALSE(allows_table(scope, kRead, name)) << name;
    }
    const auto hard = *Scope::parse("read:" + std::string(120, '*') + "a*a*a*a*a*b");
    EXPECT_FALSE(allows_table(hard, kRead, std::string(255, 'a')));
}

TEST(ScopeTest, WhatIsNoScopeIsNamed) {
    const auto error = [](std::string_view text) {
        const auto parsed = Scope::parse(text);
        return parsed ? "accepted" : parsed.error().message;
    };
    EXPECT_EQ(error("Read"), "scope: 'Read' is not read, write or admin");
    EXPECT_EQ(error("read;;write"), "scope: '' is not read, write or admin");
    EXPECT_EQ(error("read,write"), "scope: 'read,write' is not read, write or admin");
    for (const auto* text :
         {"",
          "  ",
          "read:",
          "read:a,",
          "read:a:b",
          "read:a/b",
          "read:s3:",
          "read:s3:s3:a",
          "read\t",
          "read:a\nwrite"}) {
        EXPECT_NE(error(text), "accepted") << text;
    }
    EXPECT_NE(error("read:" + std::string(2048, 'a')), "accepted");
    EXPECT_NE(error("read:" + std::string(256, 'a')), "accepted");
    EXPECT_FALSE(allows_table(Scope(), kRead, "Orders"));
}

}  // namespace
}  // namespace gateleg::auth

#include "auth/key_rows.h"

#include <gtest/gtest.h>

namespace gateleg::auth {
namespace {

class KeyRowsTest : public testing::Test {
protected:
    KeyRow row(std::string id, std::string scope, std::string_view secret) const {
        KeyRow made{std::move(id), "app", std::move(scope), 1'700'000'000, 0};
        seal_secret(key_, made, secret);
        return made;
    }
    KeyRows rows(std::vector<KeyRow> list) const { return {key_.fingerprint(), std::move(list)}; }

    const MasterKey key_ = MasterKey::random();
};

TEST_F(KeyRowsTest, ReadsWhatItWrote) {
    const auto keys = rows({row("GLKA", "admin", "first"), row("GLKB", "read:s3:a*,T", "second")});
    const auto text = render_key_rows(keys);
    EXPECT_EQ(text.find("first"), std::string::npos);
    const auto again = parse_key_rows(text, "keys");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->rows, keys.rows);
    EXPECT_EQ(again->fingerprint, key_.fingerprint());
    EXPECT_EQ(*open_secret(key_, again->rows[0]), "first");
    EXPECT_EQ(*open_secret(key_, again->rows[1]), "second");
    EXPECT_TRUE(parse_key_rows(render_key_rows(rows({})), "keys")->rows.empty());
}

TEST_F(KeyRowsTest, NoFieldOfARowCanBeChanged) {
    const auto good = row("GLKA", "read:Orders", "secret");
    const auto opens = [&](KeyRow bent) { return open_secret(key_, bent).has_value(); };
    EXPECT_TRUE(opens(good));
    auto bent = good;
    bent.scope = "admin";
    EXPECT_FALSE(opens(bent));
    bent = good;
    bent.id = "GLKB";
    EXPECT_FALSE(opens(bent));
    bent = good;
    bent.name = "root";
    EXPECT_FALSE(opens(bent));
    bent = good;
    bent.created_seconds += 1;
    EXPECT_FALSE(opens(bent));
    bent = good;
    bent.expires_seconds = 1;
    EXPECT_FALSE(opens(bent));
    // Secrets of two rows, exchanged.
    bent = good;
    bent.sealed = row("GLKB", "admin", "other").sealed;
    EXPECT_FALSE(opens(bent));
    EXPECT_FALSE(open_secret(MasterKey::random(), good));
    EXPECT_EQ(open_secret(key_, bent).error().message.find("secret"), std::string::npos);
}

TEST_F(KeyRowsTest, DamageIsNamedByItsLine) {
    const auto error = [](const std::string& text) {
        const auto parsed = parse_key_rows(text, "keys");
        return parsed ? "accepted" : parsed.error().message;
    };
    const auto good = render_key_rows(rows({row("GLKA", "admin", "s")}));
    EXPECT_EQ(error(good), "accepted");
    EXPECT_EQ(error(""), "keys:1: is no file of keys that this release reads");
    EXPECT_EQ(error("gateleg keys 2 " + key_.fingerprint() + "\n"), error(""));
    EXPECT_EQ(error("gateleg keys 1 \n"), error(""));
    EXPECT_EQ(error(good + "\n"), "keys:3: is no key; restore the file from a backup");
    const auto line = good.substr(good.find('\n') + 1);
    EXPECT_EQ(error(good + line), "keys:3: names a key that an earlier line has");
    for (const auto& [from, to] :
         {std::pair("GLKA", "GL KA"),
          std::pair("\tapp", "\t"),
          std::pair("admin", "all"),
          std::pair("admin", "ad min"),
          std::pair("1700000000", "-1"),
          std::pair("1700000000", "01700000000"),
          std::pair("\t0\t", "\t0"),
          std::pair("\t0\t", "\t0\t\t"),
          std::pair("\t0\t", "\t0\t!")}) {
        auto bent = good;
        bent.replace(bent.find(from), std::string_view(from).size(), to);
        EXPECT_EQ(error(bent), "keys:2: is no key; restore the file from a backup") << to;
    }
}

TEST_F(KeyRowsTest, NamesHaveAForm) {
    for (const auto* name : {"a", "app-1", "me@example.com", "A.b_c+d"}) {
        EXPECT_TRUE(is_key_name(name)) << name;
    }
    for (const auto& name :
         {std::string(),
          std::string("a b"),
          std::string("a/b"),
          std::string("a\tb"),
          std::string("\xc3\xa9"),
          std::string(65, 'a')}) {
        EXPECT_FALSE(is_key_name(name)) << name;
    }
}

}  // namespace
}  // namespace gateleg::auth

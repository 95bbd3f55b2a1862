#include "api/rest/router.h"

#include <gtest/gtest.h>

#include "api/rest/problem.h"

namespace gateleg::api::rest {
namespace {

class RouterTest : public testing::Test {
protected:
    void add(std::string_view method, std::string_view path, std::vector<std::string> names = {}) {
        ASSERT_TRUE(router_.add(method, path, names, next_++));
    }
    Router::Match find(std::string_view method, std::string_view path, std::string_view query = {})
        const {
        const auto segments = split_path(path);
        return segments ? router_.find(method, *segments, *parse_query(query)) : Router::Match();
    }
    std::optional<std::size_t> target(
        std::string_view method, std::string_view path, std::string_view query = {}
    ) const {
        return find(method, path, query).target;
    }

    Router router_;
    std::size_t next_ = 0;
};

TEST_F(RouterTest, LiteralSegmentsWinOverVariables) {
    add("GET", "/v1/stories/{id}");
    add("GET", "/v1/stories/deleted");
    add("GET", "/v1/stories/{storyId}/nodes/{id}");
    EXPECT_EQ(target("GET", "/v1/stories/deleted"), 1U);
    EXPECT_EQ(target("GET", "/v1/stories/x"), 0U);
    EXPECT_EQ(target("GET", "/v1/stories/x/"), 0U);
    const auto match = find("GET", "/v1/stories/deleted/nodes/a%2Fb");
    EXPECT_EQ(match.target, 2U);
    EXPECT_EQ(match.variables, (std::vector<std::string>{"deleted", "a/b"}));
}

TEST_F(RouterTest, AVariableStillServesTheMethodALiteralLacks) {
    add("GET", "/s/deleted");
    add("PATCH", "/s/{id}");
    EXPECT_EQ(target("PATCH", "/s/deleted"), 1U);
    EXPECT_EQ(find("PATCH", "/s/deleted").variables, std::vector<std::string>{"deleted"});
    const auto wrong = find("PUT", "/s/deleted");
    EXPECT_FALSE(wrong.target);
    EXPECT_EQ(wrong.allowed, (std::set<std::string>{"GET", "PATCH"}));
}

TEST_F(RouterTest, UnknownPathsHaveNoMethods) {
    add("GET", "/s/{id}");
    for (const std::string_view path : {"/", "/s", "/t", "/s/a/b", "/s//a", "//s/a", "/s/%zz"}) {
        const auto match = find("GET", path);
        EXPECT_FALSE(match.target) << path;
        EXPECT_TRUE(match.allowed.empty()) << path;
    }
}

TEST_F(RouterTest, TheQueryChoosesAmongRoutesOfOnePath) {
    add("GET", "/items", {"status"});
    add("GET", "/items", {"user", "status"});
    add("GET", "/items", {"day"});
    EXPECT_EQ(target("GET", "/items", "status=pending"), 0U);
    EXPECT_EQ(target("GET", "/items", "status=pending&user=u1&limit=3"), 1U);
    EXPECT_EQ(target("GET", "/items", "day=2025-03-01"), 2U);
    const auto none = find("GET", "/items", "user=u1");
    EXPECT_FALSE(none.target);
    EXPECT_EQ(none.choices.size(), 3U);
}

TEST_F(RouterTest, RoutesThatCannotBeToldApartAreRefused) {
    add("GET", "/s/{id}");
    EXPECT_FALSE(router_.add("GET", "/s/{other}", {}, 1));
    EXPECT_TRUE(router_.add("PUT", "/s/{other}", {}, 1));
    EXPECT_FALSE(router_.add("GET", "/s/x{id}", {}, 1));
}

TEST(QueryStringTest, DecodesOnce) {
    const auto query = parse_query("a=1&b=x%20y+z&c&d=%2525&&%61=");
    EXPECT_FALSE(query) << "a is there twice";
    const auto good = parse_query("b=x%20y+z&c&d=%2525");
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, (QueryParameters{{"b", "x y z"}, {"c", ""}, {"d", "%25"}}));
    for (const std::string_view text : {"a=%", "a=%2", "a=%zz", "a=%ff", "%ff=1"}) {
        const auto bad = parse_query(text);
        ASSERT_FALSE(bad) << text;
        EXPECT_EQ(bad.error().code, "ValidationFailed");
    }
}

TEST(ProblemTest, HasTheFormEveryErrorHas) {
    const auto response = problem_response(validation_failed("title", "is \"too\" long"), "R1");
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(
        response.body,
        R"({"error":{"code":"ValidationFailed","message":"title is \"too\" long","field":"title",)"
        R"("details":[{"field":"title","message":"is \"too\" long"}],"requestId":"R1"}})"
    );
    EXPECT_NE(response.headers.find("x-request-id: R1\r\n"), std::string::npos);
    EXPECT_NE(
        problem_response(unavailable("busy"), "R2").headers.find("Retry-After: 1\r\n"),
        std::string::npos
    );
}

}  // namespace
}  // namespace gateleg::api::rest

#include "expr/projection.h"

#include <gtest/gtest.h>

#include "expr/test_request.h"

namespace gateleg::expr {
namespace {

constexpr std::string_view kItem = R"({
    "pk": {"S": "p"}, "a": {"N": "1"},
    "l": {"L": [{"N": "0"}, {"N": "1"}, {"M": {"x": {"N": "2"}, "y": {"N": "3"}}}, {"L": []}]},
    "m": {"M": {"b": {"S": "b"}, "c": {"M": {"d": {"S": "d"}, "e": {"S": "e"}}}, "z": {"M": {}}}}
})";

struct Case {
    std::string_view text;
    std::string_view expected;
};

class ProjectedTest : public testing::TestWithParam<Case> {};

TEST_P(ProjectedTest, PicksWhatThePathsLeadTo) {
    Cache cache;
    TestRequest request("", {{"#m", "m"}, {"#dot", "m.b"}});
    const auto projection = compile_projection(cache, GetParam().text, request.scope());
    ASSERT_TRUE(projection) << projection.error().message;
    std::string bytes;
    append_projected(bytes, *projection, item(kItem).view());
    EXPECT_EQ(bytes, item(GetParam().expected).bytes()) << to_json(value::ValueView(bytes.data()));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ProjectedTest,
    testing::Values(
        Case{"pk", R"({"pk": {"S": "p"}})"},
        Case{"gone, a , pk", R"({"a": {"N": "1"}, "pk": {"S": "p"}})"},
        Case{"gone", "{}"},
        Case{"#dot", "{}"},
        Case{"#m.b", R"({"m": {"M": {"b": {"S": "b"}}}})"},
        Case{"m.c.e,m.b", R"({"m": {"M": {"b": {"S": "b"}, "c": {"M": {"e": {"S": "e"}}}}}})"},
        Case{"m.z", R"({"m": {"M": {"z": {"M": {}}}}})"},
        Case{"m.z.q, a.b, l.x", "{}"},
        Case{"m[0], a[0]", "{}"},
        Case{"l[1]", R"({"l": {"L": [{"N": "1"}]}})"},
        Case{"l[2].y, l[0], l[9]", R"({"l": {"L": [{"N": "0"}, {"M": {"y": {"N": "3"}}}]}})"},
        Case{"l[10], l[3], l[1]", R"({"l": {"L": [{"N": "1"}, {"L": []}]}})"},
        Case{"l[3][0], m.c.x, a", R"({"a": {"N": "1"}})"}
    )
);

struct Refused {
    std::string_view text;
    std::string message;
};

class RefusedProjectionTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedProjectionTest, NamesTwoPathsThatClash) {
    Cache cache;
    TestRequest request("", {{"#a", "a"}, {"#three", "[3]"}});
    EXPECT_EQ(
        message_of(compile_projection(cache, GetParam().text, request.scope())),
        "Invalid ProjectionExpression: " + GetParam().message
    );
}

const std::string kOverlap =
    "Two document paths overlap with each other; must remove or rewrite one of these paths; path "
    "one: ";
const std::string kConflict =
    "Two document paths conflict with each other; must remove or rewrite one of these paths; path "
    "one: ";

INSTANTIATE_TEST_SUITE_P(
    All,
    RefusedProjectionTest,
    testing::Values(
        Refused{"a, #a", kOverlap + "[a], path two: [a]"},
        Refused{"a, b, #a[1]", kOverlap + "[a], path two: [a, [1]]"},
        Refused{"a.b.c, d, a", kOverlap + "[a, b, c], path two: [a]"},
        Refused{"a.b, c, #a[1]", kConflict + "[a, b], path two: [a, [1]]"},
        Refused{"a[3].b, a.#three.b", kConflict + "[a, [3], b], path two: [a, [3], b]"},
        Refused{"b[1], b.c, a.d, a", kOverlap + "[a, d], path two: [a]"},
        Refused{
            "a, #b",
            "An expression attribute name used in the document path is not defined; attribute "
            "name: #b"}
    )
);

TEST(ProjectionTest, SiblingsAndLikeNamesDoNotClash) {
    Cache cache;
    TestRequest request("", {{"#dotted", "a.b"}});
    for (const std::string_view text : {"a.b, a.c", "a[0], a[1], a[10]", "a.b, #dotted", "a, ab"}) {
        EXPECT_TRUE(compile_projection(cache, text, request.scope())) << text;
    }
}

TEST(ProjectionTest, RootNamesAreListedOnce) {
    Cache cache;
    TestRequest request("", {{"#a", "x"}});
    const auto projection = compile_projection(cache, "b.c, #a, b.d", request.scope());
    ASSERT_TRUE(projection);
    EXPECT_EQ(root_names(*projection), (std::vector<std::string_view>{"b", "x"}));
    EXPECT_EQ(nested_root_names(*projection), (std::vector<std::string_view>{"b"}));
}

}  // namespace
}  // namespace gateleg::expr

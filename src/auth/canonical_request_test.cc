#include "auth/canonical_request.h"

#include <gtest/gtest.h>

namespace gateleg::auth {
namespace {

std::string line(std::string_view text, int number) {
    for (; number > 0; --number) {
        text.remove_prefix(text.find('\n') + 1);
    }
    return std::string(text.substr(0, text.find('\n')));
}

std::string path_line(std::string_view target, PathForm form) {
    return line(canonical_request({"GET", target, {}, ""}, {}, "hash", form), 1);
}

std::string query_line(std::string_view target) {
    return line(canonical_request({"GET", target, {}, ""}, {}, "hash", PathForm::kNormalized), 2);
}

TEST(CanonicalRequestTest, JoinsItsPartsByLineFeeds) {
    const SignedRequest request{
        "POST", "/?b=2&a=1", {{"X-Amz-Date", "d"}, {"Host", "h"}, {"User-Agent", "u"}}, "{}"};
    const std::vector<std::string_view> names = {"host", "x-amz-date"};
    EXPECT_EQ(
        canonical_request(request, names, "hash", PathForm::kNormalized),
        "POST\n/\na=1&b=2\nhost:h\nx-amz-date:d\n\nhost;x-amz-date\nhash"
    );
}

TEST(CanonicalRequestTest, NormalizesAndEncodesThePathOfMostServices) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "/"},
        {"/", "/"},
        {"?x", "/"},
        {"//example//", "/example/"},
        {"/example/..", "/"},
        {"/a/./b/../c", "/a/c"},
        {"/../..", "/"},
        {"/\xe1\x88\xb4", "/%E1%88%B4"},
        {"/example space/", "/example%20space/"},
        {"/a%20b", "/a%2520b"},
        {"/-._~0-9A-Za-z", "/-._~0-9A-Za-z"},
        {"/a:b=c", "/a%3Ab%3Dc"},
    };
    for (const auto& [target, expected] : cases) {
        EXPECT_EQ(path_line(target, PathForm::kNormalized), expected) << target;
    }
}

TEST(CanonicalRequestTest, KeepsThePathOfS3AndEncodesItOnce) {
    const std::pair<const char*, const char*> cases[] = {
        {"/", "/"},
        {"/b/../k", "/b/../k"},
        {"/b//k/", "/b//k/"},
        {"//", "//"},
        {"/a%20b", "/a%20b"},
        {"/a%2fb", "/a%2Fb"},
        {"/a+b", "/a%2Bb"},
        {"/100%", "/100%25"},
        {"/%zz%4", "/%25zz%254"},
    };
    for (const auto& [target, expected] : cases) {
        EXPECT_EQ(path_line(target, PathForm::kLiteral), expected) << target;
    }
    EXPECT_EQ(path_form_of("s3"), PathForm::kLiteral);
    EXPECT_EQ(path_form_of("dynamodb"), PathForm::kNormalized);
}

TEST(CanonicalRequestTest, SortsTheQueryByEncodedNameThenValue) {
    const std::pair<const char*, const char*> cases[] = {
        {"/", ""},
        {"/?", ""},
        {"/?acl", "acl="},
        {"/?Param2=value2&Param1=value1", "Param1=value1&Param2=value2"},
        {"/?a=2&a=1&a", "a=&a=1&a=2"},
        {"/?a-b=1&a=2", "a=2&a-b=1"},
        {"/?b=1&B=2", "B=2&b=1"},
        {"/?a=b=c&&d", "a=b%3Dc&d="},
        {"/?\xe1\x88\xb4=bar", "%E1%88%B4=bar"},
        {"/?a=%2f%7e", "a=%2F~"},
        {"/?a=x+y%20z", "a=x%2By%20z"},
        {"/?a=b?c", "a=b%3Fc"},
    };
    for (const auto& [target, expected] : cases) {
        EXPECT_EQ(query_line(target), expected) << target;
    }
}

TEST(CanonicalRequestTest, TrimsFoldsAndJoinsHeaderValues) {
    const SignedRequest request{
        "GET",
        "/",
        {{"My-Header", "  a \t  b  "},
         {"other", "x"},
         {"MY-HEADER", "\"c   d\""},
         {"my-header", ""}},
        ""};
    const std::vector<std::string_view> names = {"my-header"};
    const auto text = canonical_request(request, names, "hash", PathForm::kNormalized);
    EXPECT_EQ(line(text, 3), "my-header:a b,\"c d\",");
}

TEST(CanonicalRequestTest, FindsQueryParametersBehindEncodingAndCase) {
    EXPECT_TRUE(has_query_parameter("/?a&X-Amz-Signature=1", "X-Amz-Signature"));
    EXPECT_TRUE(has_query_parameter("/?x%2damz-signature", "X-Amz-Signature"));
    EXPECT_FALSE(has_query_parameter("/X-Amz-Signature?a=X-Amz-Signature", "X-Amz-Signature"));
}

TEST(CanonicalRequestTest, FindsHeadersInAnyCase) {
    const std::vector<HeaderField> headers = {{"HOST", " h "}, {"A", "1"}, {"a", "2"}};
    EXPECT_EQ(find_header(headers, "host"), "h");
    EXPECT_EQ(find_header(headers, "a"), "1");
    EXPECT_EQ(find_header(headers, "b"), std::nullopt);
    EXPECT_EQ(count_headers(headers, "a"), 2U);
}

}  // namespace
}  // namespace gateleg::auth

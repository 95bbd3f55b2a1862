#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "objects/test_store.h"

namespace gateleg::objects {
namespace {

// Short keys of few letters, so that prefixes and delimiters meet.
rc::Gen<std::string> any_key() {
    return rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::element('a', 'b', '/', '-', '\0', '\x7F'))
    );
}

std::string any_of_text() {
    return *rc::gen::oneOf(rc::gen::just(std::string()), any_key());
}

// Everything a list shows, in order: what it is measured by.
std::vector<std::string> entries(
    const std::set<std::string>& keys,
    const std::string& prefix,
    const std::string& delimiter,
    const std::string& after
) {
    std::set<std::string> out;
    for (const auto& key : keys) {
        if (!key.starts_with(prefix)) {
            continue;
        }
        const auto at = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
        out.insert(at == std::string::npos ? key : key.substr(0, at + delimiter.size()));
    }
    out.erase(out.begin(), after.empty() ? out.begin() : out.upper_bound(after));
    return {out.begin(), out.end()};
}

std::vector<std::string> in_order(const ListPage& page) {
    auto out = page.common_prefixes;
    for (const auto& object : page.objects) {
        out.push_back(object.key);
    }
    std::sort(out.begin(), out.end());
    return out;
}

// All pages of one request are together what the model says.
void check_one(const ObjectStore& store, const std::set<std::string>& keys) {
    ListRequest request;
    request.prefix = any_of_text();
    request.delimiter = *rc::gen::element<std::string>("", "/", "-", "a/", "\x7F");
    request.start_after = any_of_text();
    request.max_keys = *rc::gen::inRange<std::size_t>(1, 5);
    const bool by_marker = *rc::gen::arbitrary<bool>();
    const auto expected = entries(keys, request.prefix, request.delimiter, request.start_after);

    std::vector<std::string> seen;
    for (std::size_t pages = 0; pages <= expected.size(); ++pages) {
        const auto page = store.list("pictures", request);
        RC_ASSERT(page.has_value());
        const auto got = in_order(*page);
        RC_ASSERT(got.size() <= request.max_keys);
        seen.insert(seen.end(), got.begin(), got.end());
        if (!page->truncated) {
            break;
        }
        RC_ASSERT(got.size() == request.max_keys);
        if (by_marker) {
            request.start_after = page->next_marker;
        } else {
            request.token = page->next_token;
        }
    }
    RC_ASSERT(seen == expected);
}

class Lists : public StoreTest {};

RC_GTEST_FIXTURE_PROP(Lists, PagesTogetherAreTheModel, ()) {
    const auto keys = *rc::gen::resize(15, rc::gen::container<std::set<std::string>>(any_key()));
    for (const auto& key : keys) {
        RC_ASSERT(put(*store_, "pictures", key, "x").has_value());
    }
    // A neighbour whose keys must never show.
    RC_ASSERT(store_->create_bucket("pictures0").has_value());
    RC_ASSERT(put(*store_, "pictures0", "a", "x").has_value());

    for (int i = 0; i < 8; ++i) {
        check_one(*store_, keys);
    }
}

TEST_F(StoreTest, ListOfNothingIsNotTruncated) {
    ASSERT_TRUE(put(*store_, "pictures", "a", "x"));
    ListRequest request;
    request.max_keys = 0;
    const auto page = store_->list("pictures", request);
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->objects.empty());
    EXPECT_FALSE(page->truncated);
    request.token = "not a token";
    EXPECT_EQ(reason(store_->list("pictures", request)), Reason::kInvalidArgument);
    EXPECT_EQ(reason(store_->list("nowhere", {})), Reason::kNoSuchBucket);
}

}  // namespace
}  // namespace gateleg::objects

#include "engine/keyspace.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "expr/test_request.h"
#include "value/attribute_value.h"
#include "value/key_codec.h"
#include "value/value_samples.h"

namespace gateleg::engine {
namespace {

using expr::item;
using value::AttributeValue;
using value::Item;
using value::Number;
using value::Type;

constexpr TableId kTable{7};

Table table_with_range(Type range) {
    Table table;
    table.id = kTable;
    table.description.attributes = {
        {"pk", Type::kString}, {"sk", range}, {"g", Type::kString}, {"h", Type::kNumber}};
    table.description.key_schema = {
        {"pk", dynamo::KeyRole::kHash}, {"sk", dynamo::KeyRole::kRange}};
    table.indexes.push_back(
        {.id = IndexId{3},
         .definition =
             {.name = "by-g",
              .key_schema = {{"g", dynamo::KeyRole::kHash}, {"h", dynamo::KeyRole::kRange}}}}
    );
    compile_table(table);
    return table;
}

std::string key_of(const Table& table, const Item& attributes) {
    return item_key(table, value::encode_item(attributes).view());
}

std::optional<std::string> entry_of(const Table& table, const Item& attributes) {
    const auto encoded = value::encode_item(attributes);
    return index_entry_key(
        table, table.indexes[0], encoded.view(), item_key(table, encoded.view())
    );
}

TEST(KeyspaceTest, SegmentsCoverTheIndexWithoutGapOrOverlap) {
    for (const std::uint32_t total : {1U, 2U, 3U, 7U, 16U, 1000U, 999'999U, 1'000'000U}) {
        const auto whole = index_range(kTable, kPrimary);
        const std::uint32_t step = std::max(1U, total / 500);
        EXPECT_EQ(segment_range(kTable, kPrimary, 0, total).begin, whole.begin);
        EXPECT_EQ(segment_range(kTable, kPrimary, total - 1, total).end, whole.end);
        for (std::uint32_t segment = 0; segment + 1 < total; segment += step) {
            const auto range = segment_range(kTable, kPrimary, segment, total);
            EXPECT_LT(range.begin, range.end) << segment << " of " << total;
            EXPECT_EQ(range.end, segment_range(kTable, kPrimary, segment + 1, total).begin)
                << segment << " of " << total;
        }
    }
}

RC_GTEST_PROP(KeyspaceTest, EveryItemLiesInExactlyOneSegment, ()) {
    const auto table = table_with_range(Type::kNumber);
    const auto total = *rc::gen::inRange<std::uint32_t>(1, 50);
    const auto key = key_of(
        table,
        {{"pk", {*rc::gen::nonEmpty(value::samples::text())}},
         {"sk", {Number::from_int(*rc::gen::arbitrary<int>())}}}
    );
    int holders = 0;
    for (std::uint32_t segment = 0; segment < total; ++segment) {
        const auto range = segment_range(kTable, kPrimary, segment, total);
        holders += range.begin <= key && key < range.end ? 1 : 0;
    }
    RC_ASSERT(holders == 1);
}

RC_GTEST_PROP(KeyspaceTest, NumbersOrderThePartition, ()) {
    const auto table = table_with_range(Type::kNumber);
    const auto left = *Number::parse(*value::samples::number_text());
    const auto right = *Number::parse(*value::samples::number_text());
    const auto key = [&](const Number& number) {
        return key_of(table, {{"pk", {std::string("p")}}, {"sk", {number}}});
    };
    RC_ASSERT((key(left) < key(right)) == (left < right));
    RC_ASSERT((key(left) == key(right)) == (left == right));
}

RC_GTEST_PROP(KeyspaceTest, BytesOrderThePartition, ()) {
    const auto table = table_with_range(Type::kBinary);
    const auto left = *value::samples::bytes();
    const auto right = *value::samples::bytes();
    const auto key = [&](const std::string& bytes) {
        return key_of(table, {{"pk", {std::string("p")}}, {"sk", {value::Binary{bytes}}}});
    };
    RC_ASSERT((key(left) < key(right)) == (left < right));
    RC_ASSERT((key(left) == key(right)) == (left == right));
}

RC_GTEST_PROP(KeyspaceTest, NoPartitionReachesIntoAnother, ()) {
    const auto table = table_with_range(Type::kString);
    const auto left = *rc::gen::nonEmpty(value::samples::text());
    const auto right = *rc::gen::nonEmpty(value::samples::text());
    RC_PRE(left != right);
    std::string hash;
    value::append_key_bytes(hash, left);
    const auto prefix = partition_prefix(kTable, kPrimary, hash);
    const auto range = *value::samples::text();
    RC_ASSERT(key_of(table, {{"pk", {left}}, {"sk", {range}}}).starts_with(prefix));
    RC_ASSERT(!key_of(table, {{"pk", {right}}, {"sk", {range}}}).starts_with(prefix));
}

struct Entry {
    std::string pk;
    std::int64_t sk = 0;
    std::string g;
    std::int64_t h = 0;
};

Item item_of(const Entry& entry) {
    return {
        {"pk", {entry.pk}},
        {"sk", {Number::from_int(entry.sk)}},
        {"g", {entry.g}},
        {"h", {Number::from_int(entry.h)}}};
}

rc::Gen<Entry> entries() {
    return rc::gen::build<Entry>(
        rc::gen::set(&Entry::pk, rc::gen::element<std::string>("a", "b", "ab")),
        rc::gen::set(&Entry::sk, rc::gen::inRange<std::int64_t>(-2, 3)),
        rc::gen::set(&Entry::g, rc::gen::element<std::string>("x", "y", "xy")),
        rc::gen::set(&Entry::h, rc::gen::inRange<std::int64_t>(-2, 3))
    );
}

RC_GTEST_PROP(KeyspaceTest, IndexEntriesSortByIndexKeyAndAreUnique, ()) {
    const auto table = table_with_range(Type::kNumber);
    const auto left = *entries();
    const auto right = *entries();
    const auto left_key = *entry_of(table, item_of(left));
    const auto right_key = *entry_of(table, item_of(right));
    if (left.g == right.g && left.h != right.h) {
        RC_ASSERT((left_key < right_key) == (left.h < right.h));
    }
    const bool same =
        left.g == right.g && left.h == right.h && left.pk == right.pk && left.sk == right.sk;
    RC_ASSERT((left_key == right_key) == same);
    RC_ASSERT(left_key.starts_with(index_prefix(kTable, IndexId{3})));
}

TEST(KeyspaceTest, ItemWithoutAnIndexKeyIsNotInTheIndex) {
    const auto table = table_with_range(Type::kNumber);
    const auto entry = [&](const char* json) {
        const auto encoded = item(json);
        return index_entry_key(
            table, table.indexes[0], encoded.view(), item_key(table, encoded.view())
        );
    };
    EXPECT_TRUE(entry(R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"N":"1"}})"));
    EXPECT_FALSE(entry(R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"}})"));
    EXPECT_FALSE(entry(R"({"pk":{"S":"p"},"sk":{"N":"1"},"h":{"N":"1"}})"));
    EXPECT_FALSE(entry(R"({"pk":{"S":"p"},"sk":{"N":"1"},"g":{"S":"x"},"h":{"S":"1"}})"));
}

RC_GTEST_PROP(KeyspaceTest, TimeToLiveKeysRoundTripAndSortByTime, ()) {
    const auto table = table_with_range(Type::kNumber);
    const auto seconds = rc::gen::inRange<std::int64_t>(0, INT64_MAX);
    const auto left = *seconds;
    const auto right = *seconds;
    const auto key = key_of(table, item_of(*entries()));
    const auto entry = ttl_entry_key(kTable, left, key);
    RC_ASSERT(item_key_of_ttl_entry(kTable, entry) == key);
    const auto before = ttl_expired_before(kTable, right);
    RC_ASSERT((before.begin <= entry && entry < before.end) == (left < right));
    const auto all = table_ttl_range(kTable);
    RC_ASSERT(all.begin <= entry && entry < all.end);
}

TEST(KeyspaceTest, TokensRoundTripAndSortByTime) {
    const auto early = token_expiry_key(99, "zzz");
    const auto late = token_expiry_key(100, "aaa");
    EXPECT_LT(early, late);
    EXPECT_EQ(token_of_expiry_key(early), "zzz");
    const auto before = tokens_expired_before(100);
    EXPECT_TRUE(before.begin <= early && early < before.end);
    EXPECT_FALSE(late < before.end);
}

TEST(KeyspaceTest, TablesAndIndexesDoNotShareKeys) {
    const auto inside = [](const KeyRange& range, const std::string& key) {
        return range.begin <= key && key < range.end;
    };
    const auto items = table_items_range(TableId{255});
    EXPECT_TRUE(inside(items, index_prefix(TableId{255}, kPrimary)));
    EXPECT_TRUE(inside(items, index_prefix(TableId{255}, IndexId{0xfffe})));
    EXPECT_FALSE(inside(items, index_prefix(TableId{256}, kPrimary)));
    EXPECT_FALSE(inside(items, index_prefix(TableId{254}, IndexId{0xffff})));
    EXPECT_FALSE(inside(table_ttl_range(TableId{255}), ttl_entry_key(TableId{256}, 0, "0123456")));
    EXPECT_FALSE(inside(all_table_definitions(), counts_key(TableId{1})));
    EXPECT_TRUE(inside(all_table_definitions(), table_definition_key("zzz")));
}

TEST(KeyspaceTest, AfterPrefixIsTheFirstKeyBehind) {
    EXPECT_EQ(after_prefix("ab"), "ac");
    EXPECT_EQ(after_prefix("a\xff\xff"), "b");
    EXPECT_EQ(after_prefix("\xff"), "");
}

}  // namespace
}  // namespace gateleg::engine

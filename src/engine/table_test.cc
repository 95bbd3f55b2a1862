#include "engine/table.h"

#include <gtest/gtest.h>

#include "expr/test_request.h"

namespace gateleg::engine {
namespace {

using dynamo::KeyRole;
using dynamo::ProjectionType;
using value::Type;

Table full_table() {
    Table table;
    table.id = TableId{4'000'000'000};
    auto& description = table.description;
    description.name = "Orders";
    description.arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Orders";
    description.id = "6c2f0a5e-0000-4000-8000-000000000001";
    description.created_millis = 1'750'000'000'123;
    description.attributes = {
        {"pk", Type::kString},
        {"sk", Type::kNumber},
        {"g1", Type::kBinary},
        {"g2", Type::kString},
        {"r1", Type::kNumber},
        {"r2", Type::kString}};
    description.key_schema = {{"pk", KeyRole::kHash}, {"sk", KeyRole::kRange}};
    description.billing_mode = dynamo::BillingMode::kPayPerRequest;
    description.on_demand_since_millis = 1'750'000'000'456;
    description.throughput = {11, 12};
    description.on_demand = {.max_read_units = 21, .max_write_units = 22};
    description.deletion_protection = true;
    description.table_class = dynamo::TableClass::kInfrequentAccess;
    description.encryption = {.enabled = true, .key_id = "alias/mine"};
    table.indexes = {
        {.id = IndexId{1},
         .global = false,
         .definition =
             {.name = "local",
              .key_schema = {{"pk", KeyRole::kHash}, {"r2", KeyRole::kRange}},
              .projection = {.type = ProjectionType::kKeysOnly}}},
        {.id = IndexId{5},
         .global = true,
         .definition =
             {.name = "global",
              .key_schema =
                  {{"g1", KeyRole::kHash},
                   {"g2", KeyRole::kHash},
                   {"r1", KeyRole::kRange},
                   {"r2", KeyRole::kRange}},
              .projection =
                  {.type = ProjectionType::kInclude, .non_key_attributes = {"zeta", "alpha"}},
              .throughput = dynamo::Throughput{31, 32},
              .on_demand = dynamo::OnDemandThroughput{.max_read_units = 41}},
         .backfilling = true}};
    table.next_index_id = 6;
    table.tags = {{"owner", "me"}, {"empty", ""}};
    table.ttl_attribute = "expires";
    table.ttl_backfilling = true;
    compile_table(table);
    return table;
}

void expect_same(const std::vector<KeyAttribute>& left, const std::vector<KeyAttribute>& right) {
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        EXPECT_EQ(left[i].name, right[i].name);
        EXPECT_EQ(left[i].type, right[i].type);
    }
}

TEST(TableTest, LimitThatAnOlderReleaseTookAwayIsNone) {
    auto table = full_table();
    table.description.on_demand = {.max_read_units = 21, .max_write_units = -1};
    const auto decoded = decode_table(encode_table(table));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->description.on_demand->max_read_units, 21);
    EXPECT_EQ(decoded->description.on_demand->max_write_units, std::nullopt);
}

TEST(TableTest, DefinitionRoundTripsWithEverythingSet) {
    const auto before = full_table();
    const auto bytes = encode_table(before);
    const auto decoded = decode_table(bytes);
    ASSERT_TRUE(decoded);
    const auto& after = *decoded;
    // Every member is in the encoding, so equal bytes are equal tables; the rest guards the codec
    // against forgetting a member on both sides.
    EXPECT_EQ(encode_table(after), bytes);
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.next_index_id, 6);
    EXPECT_EQ(after.tags, before.tags);
    EXPECT_EQ(after.ttl_attribute, "expires");
    EXPECT_TRUE(after.ttl_backfilling);
    const auto& description = after.description;
    EXPECT_EQ(description.name, "Orders");
    EXPECT_EQ(description.arn, before.description.arn);
    EXPECT_EQ(description.id, before.description.id);
    EXPECT_EQ(description.created_millis, 1'750'000'000'123);
    EXPECT_EQ(description.key_schema, before.description.key_schema);
    EXPECT_EQ(description.attributes.size(), 6U);
    EXPECT_EQ(description.billing_mode, dynamo::BillingMode::kPayPerRequest);
    EXPECT_EQ(description.on_demand_since_millis, 1'750'000'000'456);
    EXPECT_EQ(description.throughput, (dynamo::Throughput{11, 12}));
    EXPECT_EQ(description.on_demand->max_read_units, 21);
    EXPECT_EQ(description.on_demand->max_write_units, 22);
    EXPECT_TRUE(description.deletion_protection);
    EXPECT_EQ(description.table_class, dynamo::TableClass::kInfrequentAccess);
    EXPECT_TRUE(description.encryption->enabled);
    EXPECT_EQ(description.encryption->key_id, "alias/mine");
    expect_same(after.key.hash, before.key.hash);
    expect_same(after.key.range, before.key.range);
    ASSERT_EQ(after.indexes.size(), 2U);
    EXPECT_FALSE(after.indexes[0].global);
    EXPECT_FALSE(after.indexes[0].backfilling);
    const auto& global = after.indexes[1];
    EXPECT_EQ(global.id, IndexId{5});
    EXPECT_TRUE(global.global);
    EXPECT_TRUE(global.backfilling);
    EXPECT_EQ(global.definition.key_schema, before.indexes[1].definition.key_schema);
    EXPECT_EQ(global.definition.projection.type, ProjectionType::kInclude);
    EXPECT_EQ(
        global.definition.projection.non_key_attributes, (std::vector<std::string>{"zeta", "alpha"})
    );
    EXPECT_EQ(global.definition.throughput, (dynamo::Throughput{31, 32}));
    EXPECT_EQ(global.definition.on_demand->max_read_units, 41);
    EXPECT_FALSE(global.definition.on_demand->max_write_units);
    expect_same(global.key.hash, before.indexes[1].key.hash);
    expect_same(global.key.range, before.indexes[1].key.range);
}

TEST(TableTest, SmallestDefinitionRoundTrips) {
    Table before;
    before.description.name = "t";
    before.description.attributes = {{"pk", Type::kString}};
    before.description.key_schema = {{"pk", KeyRole::kHash}};
    const auto after = decode_table(encode_table(before));
    ASSERT_TRUE(after);
    EXPECT_FALSE(after->ttl_attribute);
    EXPECT_FALSE(after->description.on_demand_since_millis);
    EXPECT_FALSE(after->description.on_demand);
    EXPECT_FALSE(after->description.table_class);
    EXPECT_FALSE(after->description.encryption);
    EXPECT_TRUE(after->indexes.empty());
}

TEST(TableTest, EmptyDefinitionIsAnError) {
    EXPECT_EQ(decode_table("").error().code, ErrorCode::kInternal);
}

TEST(TableTest, MembersOfALaterVersionAreIgnoredAndMissingOnesHaveDefaults) {
    const auto table = decode_table(expr::item(R"({
        "id": {"N": "9"}, "name": {"S": "old"}, "later": {"BOOL": true},
        "attributes": {"L": [{"M": {"name": {"S": "pk"}, "type": {"N": "1"}}}]},
        "schema": {"L": [{"M": {"name": {"S": "pk"}, "hash": {"BOOL": true}}}]}
    })")
                                        .bytes());
    ASSERT_TRUE(table);
    EXPECT_EQ(table->id, TableId{9});
    EXPECT_EQ(table->next_index_id, 1);
    EXPECT_FALSE(table->description.deletion_protection);
    ASSERT_EQ(table->key.hash.size(), 1U);
    EXPECT_EQ(table->key.hash[0].name, "pk");
}

TEST(TableTest, ProjectionHoldsTheKeysOfTableAndIndex) {
    const auto table = full_table();
    EXPECT_EQ(table.indexes[0].projected, (std::vector<std::string>{"pk", "r2", "sk"}));
    EXPECT_EQ(
        table.indexes[1].projected,
        (std::vector<std::string>{"alpha", "g1", "g2", "pk", "r1", "r2", "sk", "zeta"})
    );
    EXPECT_TRUE(table.indexes[1].projects("alpha"));
    EXPECT_FALSE(table.indexes[1].projects("beta"));
    EXPECT_NE(table.find_index("local"), nullptr);
    EXPECT_EQ(table.find_index("loca"), nullptr);
    EXPECT_TRUE(table.has_local_indexes());
}

TEST(TableTest, CountsRoundTrip) {
    const TableCounts counts = {
        {kPrimary, {.items = 3, .bytes = 1'000'000'000'000}},
        {IndexId{2}, {.items = 0, .bytes = 0}},
        {IndexId{0xfffe}, {.items = 1, .bytes = 9}}};
    const auto decoded = decode_counts(encode_counts(counts));
    ASSERT_EQ(decoded.size(), counts.size());
    for (const auto& [id, count] : counts) {
        EXPECT_EQ(decoded.at(id).items, count.items);
        EXPECT_EQ(decoded.at(id).bytes, count.bytes);
    }
    EXPECT_TRUE(decode_counts("").empty());
}

TEST(TableTest, DescriptionCarriesCountsAndIndexes) {
    const auto table = full_table();
    const auto description = describe(
        table, {{kPrimary, {.items = 5, .bytes = 500}}, {IndexId{5}, {.items = 2, .bytes = 50}}}
    );
    EXPECT_EQ(description.item_count, 5);
    EXPECT_EQ(description.size_bytes, 500);
    ASSERT_EQ(description.global_indexes.size(), 1U);
    const auto& global = description.global_indexes[0];
    EXPECT_EQ(global.definition.name, "global");
    EXPECT_EQ(global.status, dynamo::Status::kCreating);
    EXPECT_TRUE(global.backfilling);
    EXPECT_EQ(global.item_count, 2);
    EXPECT_EQ(global.size_bytes, 50);
    EXPECT_EQ(global.arn, description.arn + "/index/global");
    ASSERT_EQ(description.local_indexes.size(), 1U);
    EXPECT_EQ(description.local_indexes[0].status, dynamo::Status::kActive);
    EXPECT_EQ(description.local_indexes[0].item_count, 0);
}

}  // namespace
}  // namespace gateleg::engine

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/check.h"
#include "model/load.h"
#include "model/table_export.h"
#include "model/workbench_import.h"

namespace gateleg::model {
namespace {

using testing::HasSubstr;

std::string key_of(std::string_view name, std::string_view type) {
    return R"({"AttributeName":")" + std::string(name) + R"(","AttributeType":")" +
           std::string(type) + R"("})";
}

std::string file(const std::string& members, const std::string& keys = "") {
    return R"({"DataModel":[{"TableName":"Tab-le","KeyAttributes":{)" +
           (keys.empty()
                ? R"("PartitionKey":)" + key_of("PK", "S") + R"(,"SortKey":)" + key_of("SK", "S")
                : keys) +
           "}," + members + R"("TableData":[]}]})";
}

std::string facet(const std::string& partition, const std::string& sort, const std::string& rest) {
    return R"("TableFacets":[{"FacetName":"Some Thing","KeyAttributeAlias":{"PartitionKeyAlias":")" +
           partition + R"(","SortKeyAlias":")" + sort + R"("},"NonKeyAttributes":["a"])" + rest +
           "}],";
}
const std::string kAttributes =
    R"("NonKeyAttributes":[{"AttributeName":"a","AttributeType":"N"}],)";

std::string draft(const std::string& json) {
    const auto made = import_workbench(json, "");
    EXPECT_TRUE(made.has_value()) << made.error().message;
    if (!made) {
        return {};
    }
    Diagnostics found("draft");
    const auto model = load_model(made->yaml, found);
    EXPECT_FALSE(found.has_errors()) << found.to_text() << made->yaml;
    return made->yaml;
}

TEST(WorkbenchTest, AliasesBecomeTemplates) {
    struct Case {
        const char* alias;
        const char* key;
    };
    for (const auto& [alias, key] :
         {Case{"USER#{userId}", R"("PK": "USER#{userId}")"},
          Case{"USER#<user id>", R"("PK": "USER#{userId}")"},
          Case{"USER#userId", R"("PK": "USER#{userId}")"},
          Case{"ORG#orgId#USER#userId", R"("PK": "ORG#{orgId}#USER#{userId}")"},
          Case{"userId", R"("PK": "{userId}")"},
          Case{"N#{n:04}", R"("PK": "N#{n:04}")"}}) {
        EXPECT_THAT(draft(file(kAttributes + facet(alias, "META", ""))), HasSubstr(key)) << alias;
    }
}

TEST(WorkbenchTest, SamplesBecomeTemplates) {
    const auto samples =
        R"(,"TableData":[{"PK":{"S":"USER#7"},"SK":{"S":"NOTE#x#1"},"a":{"N":"7"}},)"
        R"({"PK":{"S":"USER#8"},"SK":{"S":"NOTE#y#2"},"a":{"N":"8"}}])";
    const auto text = draft(file(kAttributes + facet("PK", "SK", samples)));
    EXPECT_THAT(text, HasSubstr(R"("PK": "USER#{a}", "SK": "NOTE#{noteId}#{SK3}")"));
}

TEST(WorkbenchTest, AKeyThatIsAnAttributeStaysOne) {
    const auto text = draft(file(kAttributes, R"("PartitionKey":)" + key_of("id", "N")));
    EXPECT_THAT(text, HasSubstr(R"(key: { "id": N })"));
    EXPECT_THAT(text, HasSubstr(R"("id": number!)"));
    EXPECT_THAT(text, HasSubstr("TabLe:"));
}

TEST(WorkbenchTest, NamesThatCannotStayAreTold) {
    const auto json = file(R"("NonKeyAttributes":[{"AttributeName":"a b","AttributeType":"S"}],)");
    const auto made = import_workbench(json, "");
    ASSERT_TRUE(made.has_value());
    EXPECT_THAT(made->notes, testing::ElementsAre(HasSubstr("\"a b\" is left out")));
}

TEST(WorkbenchTest, WhatIsNoDataModelIsRefused) {
    for (const auto* text :
         {"",
          "{",
          "[]",
          "null",
          "{}",
          R"({"DataModel":{}})",
          R"({"DataModel":[1,{}]})",
          R"({"DataModel":[{"TableName":"t"}]})",
          R"({"DataModel":[{"TableName":"t","KeyAttributes":{"PartitionKey":{"AttributeName":"a","AttributeType":"X"}}}]})"}) {
        EXPECT_FALSE(import_workbench(text, "").has_value()) << text;
    }
    EXPECT_THAT(
        import_workbench(file(kAttributes), "other").error().message, HasSubstr("only Tab-le")
    );
}

TEST(WorkbenchTest, ExportAndImportKeepTheTable) {
    Diagnostics found("t");
    const auto model = load_model(
        R"YAML(
model: { name: t, path: /t }
table: { name: t, key: { PK: S, SK: S }, ttl: ttl, marker: kind, indexes: { G: { key: { g: S, n: N }, project: [a] }, H: { key: { h: S } } } }
entities:
  Thing:
    keys: { PK: "T#{id}", SK: "META", g: "G#{a}" }
    attributes: { id: ulid!, a: string, n: integer, h: string, ttl: epoch_s, on: { type: boolean, stored: ["Y", "N"] }, tags: { type: set, of: string } }
)YAML",
        found
    );
    ASSERT_EQ(found.to_text(), "");
    const auto made = import_workbench(to_workbench(*model), "");
    ASSERT_TRUE(made.has_value()) << made.error().message;
    Diagnostics again("draft");
    const auto copy = load_model(made->yaml, again);
    ASSERT_FALSE(again.has_errors()) << again.to_text() << made->yaml;
    EXPECT_EQ(to_create_table_json(copy->table), to_create_table_json(model->table));
    EXPECT_EQ(copy->table.ttl, "ttl");
    EXPECT_EQ(copy->table.marker, "kind");
}

}  // namespace
}  // namespace gateleg::model

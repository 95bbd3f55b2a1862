#include "model/table_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/load.h"

namespace gateleg::model {
namespace {

using testing::HasSubstr;

std::unique_ptr<Model> loaded(const std::string& table) {
    Diagnostics diagnostics("t");
    auto model = load_model(
        "model: { name: t, path: /t }\ntable: { " + table +
            " }\nentities:\n  Thing: { keys: { pk: \"T#{id}\" }, attributes: { id: string! } }\n",
        diagnostics
    );
    EXPECT_EQ(diagnostics.to_text(), "");
    return model;
}

TEST(TableExportTest, CreateTableOfAKeyAlone) {
    const auto model = loaded("name: t, key: { pk: S }, marker: none");
    EXPECT_EQ(
        to_create_table_json(model->table),
        "{\n  \"TableName\": \"t\",\n  \"AttributeDefinitions\": [\n    {\n      "
        "\"AttributeName\": \"pk\",\n      \"AttributeType\": \"S\"\n    }\n  ],\n  "
        "\"KeySchema\": [\n    {\n      \"AttributeName\": \"pk\",\n      \"KeyType\": \"HASH\"\n  "
        "  }\n  ],\n  \"BillingMode\": \"PAY_PER_REQUEST\"\n}\n"
    );
}

TEST(TableExportTest, ANameIsQuotedForWhoReadsIt) {
    const auto model =
        loaded("name: \"it's.a-table\", key: { pk: S }, ttl: \"a${b}\", marker: none");
    EXPECT_THAT(to_aws_cli(model->table), HasSubstr("--table-name 'it'\\''s.a-table'"));
    EXPECT_THAT(to_cloudformation(*model), HasSubstr("\"ItSATableTable\": {"));
    const auto terraform = to_terraform(*model);
    EXPECT_THAT(terraform, HasSubstr("resource \"aws_dynamodb_table\" \"it_s_a-table\" {"));
    EXPECT_THAT(terraform, HasSubstr("attribute_name = \"a$${b}\""));
}

TEST(TableExportTest, TerraformAlignsAndListsProjections) {
    const auto model = loaded(
        "name: t, key: { pk: S }, marker: none, indexes: { G: { key: { a: S, n: N }, project: [x, "
        "y] } }"
    );
    EXPECT_THAT(
        to_terraform(*model),
        HasSubstr("  global_secondary_index {\n"
                  "    name               = \"G\"\n"
                  "    hash_key           = \"a\"\n"
                  "    range_key          = \"n\"\n"
                  "    projection_type    = \"INCLUDE\"\n"
                  "    non_key_attributes = [\"x\", \"y\"]\n"
                  "  }\n")
    );
}

}  // namespace
}  // namespace gateleg::model

// The text is a statement; what parses is planned for a table that has every kind of index.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "partiql/next_token.h"
#include "partiql/parser.h"
#include "partiql/planner.h"

namespace {

using namespace gateleg;  // NOLINT: one file, no header

const dynamo::TableDescription& sample_table() {
    static const auto kTable = [] {
        dynamo::TableDescription table;
        table.name = "t";
        table.key_schema = {{"pk", dynamo::KeyRole::kHash}, {"sk", dynamo::KeyRole::kRange}};
        auto& global = table.global_indexes.emplace_back();
        global.definition.name = "g";
        global.definition.key_schema = {
            {"a", dynamo::KeyRole::kHash},
            {"b", dynamo::KeyRole::kHash},
            {"c", dynamo::KeyRole::kRange}};
        global.definition.projection = {.type = dynamo::ProjectionType::kKeysOnly};
        auto& local = table.local_indexes.emplace_back();
        local.definition.name = "l";
        local.definition.key_schema = {
            {"pk", dynamo::KeyRole::kHash}, {"b", dynamo::KeyRole::kRange}};
        return table;
    }();
    return kTable;
}

const partiql::Parameters& sample_parameters() {
    static const partiql::Parameters kParameters = {
        {std::string("x")},
        {value::Number::from_int(1)},
        {value::List{{std::string("y")}, {true}}},
        {value::Map{{"pk", {std::string("z")}}}},
    };
    return kParameters;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)partiql::decode_next_token(text, 1);
    const auto statement = partiql::parse(text);
    if (!statement) {
        return 0;
    }
    if (statement->is_read()) {
        (void)partiql::plan_select(*statement, sample_parameters(), sample_table(), false);
        (void)partiql::plan_get(*statement, sample_parameters(), sample_table(), "x");
    } else {
        (void)partiql::plan_write(*statement, sample_parameters(), sample_table());
    }
    return 0;
}

// What a table is apart from its items: keys, indexes, time to live, stream, tags. As text it is
// what DescribeTable, DescribeTimeToLive and ListTagsOfResource answer, in one object.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "dynamo/schema.h"
#include "transfer/csv.h"

namespace gateleg::transfer {

struct TableShape {
    dynamo::TableDescription table;
    std::optional<std::string> ttl = {};  // the attribute, when it is enabled
    dynamo::Tags tags = {};
};

// All of these block.
// A store that knows no time to live or no tags has none. kResourceNotFound without such a table.
Result<TableShape> read_table_shape(dynamo::Dynamo& dynamo, const std::string& table);
// Waits until the table is active. Time to live is not set yet: items that are on their way in
// should not expire before they are counted.
Result<void> create_table(dynamo::Dynamo& dynamo, const TableShape& shape, const std::string& name);
// Nothing to do for a shape without one, or for a table that has it.
Result<void> enable_ttl(dynamo::Dynamo& dynamo, const TableShape& shape, const std::string& name);

std::string render_table_shape(const TableShape& shape);
// Also takes the members of CreateTable, bare.
Result<TableShape> parse_table_shape(std::string_view text);

// The key attributes of the table and of its indexes.
KeyTypes key_types_of(const dynamo::TableDescription& table);

}  // namespace gateleg::transfer

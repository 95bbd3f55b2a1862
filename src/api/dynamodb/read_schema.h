// Parts of the definition of a table, where several operations have them. Those with a name read
// the member of that name; nothing comes of one that is not there.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamodb/wire_reader.h"
#include "dynamo/schema.h"

namespace gateleg::api::dynamodb {

std::vector<dynamo::AttributeDefinition> read_attributes(const Fields& in);
// At least one element, at most `max`.
dynamo::KeySchema read_key_schema(const Fields& in, std::size_t max);

std::optional<dynamo::BillingMode> read_billing_mode(const Fields& in, std::string_view name);
std::optional<dynamo::Throughput> read_throughput(const Fields& in, std::string_view name);
// An object without members is as good as none, for these two.
std::optional<dynamo::OnDemandThroughput> read_on_demand(const Fields& in, std::string_view name);
std::optional<dynamo::WarmThroughput> read_warm(const Fields& in);
std::optional<dynamo::TableClass> read_table_class(const Fields& in);
std::optional<dynamo::ServerSideEncryption> read_encryption(
    const Fields& in, std::string_view name
);

std::string read_index_name(const Fields& in);
dynamo::IndexDefinition read_index(const Fields& in, bool global);
std::optional<std::vector<dynamo::IndexDefinition>> read_indexes(
    const Fields& in, std::string_view name, bool global
);

}  // namespace gateleg::api::dynamodb

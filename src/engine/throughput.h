// What a table and its global indexes are said to take: limits of on-demand tables, and warm
// throughput. Nothing here goes by them. They are kept, checked and shown as AWS does, since tools
// that keep a table in a wanted state wait until they see them.

#pragma once

#include "base/result.h"
#include "dynamo/requests.h"
#include "engine/table.h"

namespace gateleg::engine {

// As it is shown: the highest of what was wanted, of what was ever provisioned, and of what an
// on-demand table begins with.
dynamo::Throughput warm_throughput(const dynamo::TableDescription& table);
dynamo::Throughput warm_throughput(
    const dynamo::TableDescription& table, const dynamo::IndexDefinition& index
);

// Keeps what is shown now, so that the changes that follow cannot lower it.
void keep_warm_throughput(Table& table);

Result<void> check_new_throughput(const dynamo::CreateTableRequest& request);
// An index of a table with this billing mode.
Result<void> check_new_throughput(
    dynamo::BillingMode billing_mode, const dynamo::IndexDefinition& index
);

// Carry out what a request says of these two, after the billing mode was changed and
// keep_warm_throughput().
Result<void> change_throughput(const dynamo::UpdateTableRequest& request, Table& table);
Result<void> change_throughput(
    const dynamo::UpdateTableRequest::IndexThroughput& update,
    const dynamo::TableDescription& table,
    dynamo::IndexDefinition& index
);

}  // namespace gateleg::engine

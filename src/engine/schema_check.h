// Checks the definition of a new table or index, with DynamoDB's own words.

#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/requests.h"
#include "engine/table.h"

namespace gateleg::engine {

// A view type belongs to a stream that is being enabled, and to no other.
Result<void> check_stream(const dynamo::CreateTableRequest& request);
Result<void> check_stream(const dynamo::UpdateTableRequest& request);

Result<void> check_new_table(const dynamo::CreateTableRequest& request);

// A global index to be added to `table`, whose attributes are already extended by the request's.
Result<void> check_new_global_index(
    const Table& table,
    const std::vector<dynamo::AttributeDefinition>& attributes,
    const dynamo::IndexDefinition& index
);

// Attributes that no key of the table or its indexes uses may not be defined.
Result<void> check_attributes_used(
    const std::vector<dynamo::AttributeDefinition>& attributes,
    const std::vector<const dynamo::KeySchema*>& schemas
);

}  // namespace gateleg::engine

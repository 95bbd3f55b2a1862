// The operations of exports to S3 and imports from it.

#pragma once

#include <string_view>

#include "api/dynamodb/service_operation.h"
#include "dynamo/transfers.h"

namespace gateleg::api::dynamodb {

using TransferOperation = ServiceOperation<dynamo::Transfers>;

// Null for a name that is not one of them.
const TransferOperation* find_transfer_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

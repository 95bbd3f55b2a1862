// The operations of the DynamoDB Streams API.

#pragma once

#include <string_view>

#include "api/dynamodb/service_operation.h"
#include "dynamo/streams.h"

namespace gateleg::api::dynamodb {

using StreamOperation = ServiceOperation<dynamo::Streams>;

// Null for a name that is not one of them.
const StreamOperation* find_stream_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

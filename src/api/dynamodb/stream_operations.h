// The operations of the DynamoDB Streams API, by the name that X-Amz-Target gives them.

#pragma once

#include <string_view>

#include "api/dynamodb/policy.h"
#include "dynamo/streams.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

struct StreamOperation {
    std::string_view name;
    Policy policy;
    // As Operation::run.
    void (*run)(dynamo::Streams& streams, std::string_view body, http::Exchange exchange) = nullptr;
};

// Null for a name that is not an operation.
const StreamOperation* find_stream_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

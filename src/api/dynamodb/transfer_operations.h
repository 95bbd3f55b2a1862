// Exports to S3 and imports from it on the wire.

#pragma once

#include <string_view>

#include "api/dynamodb/policy.h"
#include "dynamo/transfers.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

struct TransferOperation {
    std::string_view name;
    Policy policy;
    // As Operation::run.
    void (*run
    )(dynamo::Transfers& transfers, std::string_view body, http::Exchange exchange) = nullptr;
};

// Null for a name that is not one of them.
const TransferOperation* find_transfer_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

// Operations that tools call on their way to what they want: Terraform, the AWS CLI, consoles. What
// they set is kept and shown, and has no effect.

#pragma once

#include <string_view>

#include "api/dynamodb/policy.h"
#include "dynamo/table_settings.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

struct ToolOperation {
    std::string_view name;
    Policy policy;
    // As Operation::run.
    void (*run
    )(dynamo::TableSettings& settings, std::string_view body, http::Exchange exchange) = nullptr;
};

// Null for a name that is not one of them.
const ToolOperation* find_tool_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

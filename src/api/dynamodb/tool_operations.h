// Operations that tools call on their way to what they want: Terraform, the AWS CLI, consoles. What
// they set is kept and shown, and has no effect.

#pragma once

#include <string_view>

#include "api/dynamodb/service_operation.h"
#include "dynamo/table_settings.h"

namespace gateleg::api::dynamodb {

using ToolOperation = ServiceOperation<dynamo::TableSettings>;

// Null for a name that is not one of them.
const ToolOperation* find_tool_operation(std::string_view name);

// Why an operation of AWS is not here; empty for a name that is none of AWS's.
std::string_view why_missing(std::string_view name);

}  // namespace gateleg::api::dynamodb

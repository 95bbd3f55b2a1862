// Operations that tools call on their way to what they want: Terraform, the AWS CLI, consoles. What
// they set is kept and shown, and has no effect.

#pragma once

#include <cstddef>
#include <string_view>

#include "api/dynamodb/policy.h"
#include "dynamo/table_settings.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

// Under which a table's resource policy is kept among its settings, and how long one may be.
inline constexpr const char* kPolicySetting = "resourcePolicy";
inline constexpr std::size_t kMaxPolicyBytes = 20'480;

struct ToolOperation {
    std::string_view name;
    Policy policy;
    // As Operation::run.
    void (*run
    )(dynamo::TableSettings& settings, std::string_view body, http::Exchange exchange) = nullptr;
};

// Null for a name that is not one of them.
const ToolOperation* find_tool_operation(std::string_view name);

// Why an operation of AWS is not here; empty for a name that is none of AWS's.
std::string_view why_missing(std::string_view name);

}  // namespace gateleg::api::dynamodb

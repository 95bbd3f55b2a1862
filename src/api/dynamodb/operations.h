// The operations that Dynamo answers, by the name that X-Amz-Target gives them.

#pragma once

#include <string_view>

#include "api/dynamodb/policy.h"
#include "dynamo/dynamo.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

// Readable bytes that `body` has behind it.
inline constexpr std::size_t kBodyPadding = 64;

struct Operation {
    std::string_view name;
    Policy policy;
    // Parses, calls and answers. `body` has kBodyPadding readable bytes behind it and is read
    // before the call returns.
    void (*run)(dynamo::Dynamo& dynamo, std::string_view body, http::Exchange exchange) = nullptr;
};

// Null for a name that is not an operation, or not one yet.
const Operation* find_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

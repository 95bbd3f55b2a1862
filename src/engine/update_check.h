// What UpdateTable refuses by the request alone, with DynamoDB's own words: most changes want a
// request of their own.

#pragma once

#include "base/result.h"
#include "dynamo/requests.h"

namespace gateleg::engine {

Result<void> check_update(const dynamo::UpdateTableRequest& request);

}  // namespace gateleg::engine

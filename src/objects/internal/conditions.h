// Conditions on writes and on the sources of copies, as errors.

#pragma once

#include <string>

#include "base/result.h"
#include "objects/errors.h"
#include "objects/types.h"

namespace gateleg::objects::internal {

// `etag` is that of the object there is now; null if there is none.
Result<void> check_write(const WriteCondition& condition, const std::string* etag);

Result<void> check_copy_source(const ReadCondition& condition, const ObjectInfo& info);

}  // namespace gateleg::objects::internal

// Request bodies with Content-Encoding: gzip.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::api::dynamodb {

// The inflated bytes with `padding` zero bytes behind them. A body that grows past `max_bytes`, or
// more than a hundredfold, is refused before it takes the memory.
Result<std::string> gunzip(std::string_view compressed, std::size_t max_bytes, std::size_t padding);

}  // namespace gateleg::api::dynamodb

// Which names, keys, tags and headers a store takes.

#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/types.h"

namespace gateleg::objects::internal {

// 3 to 63 of a-z, 0-9, "-" and ".", and nothing that looks like an address.
Result<void> check_bucket_name(std::string_view name);
// 1 to 1024 bytes of UTF-8; every character is allowed.
Result<void> check_key(std::string_view key);
Result<void> check_tags(const std::vector<NamedText>& tags);
Result<void> check_metadata(const ObjectMetadata& metadata);

}  // namespace gateleg::objects::internal

// Attribute names as the parameters from before there were expressions have them: always of the
// top level, and with any characters.

#pragma once

#include <string_view>
#include <vector>

#include "api/dynamodb/wire_reader.h"
#include "base/result.h"

namespace gateleg::api::dynamodb {

// Fails if no attribute can have the name.
Result<void> check_attribute_name(std::string_view name);

// AttributesToGet, as views into the request. What is wrong with them is among the problems of `in`
// afterwards; they are not to be used then.
std::vector<std::string_view> read_attributes_to_get(const Fields& in);

}  // namespace gateleg::api::dynamodb

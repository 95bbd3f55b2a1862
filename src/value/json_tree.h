// JSON as callers of the systems API write it, to and from values without DynamoDB's type names.
//
// Numbers keep every digit: they never pass through a double.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/attribute_value.h"

namespace gateleg::value {

// How deep lists and maps may lie in each other. DynamoDB's own limit is 32, the item included.
inline constexpr int kMaxJsonDepth = 31;

// Strict RFC 8259: UTF-8, nothing behind the value, no name twice in an object. Fails with
// kSerialization, naming the byte; a number that DynamoDB cannot hold is kValidation.
Result<AttributeValue> parse_json(std::string_view text);

// Sets become arrays, binaries base64 text.
void append_plain_json(std::string& out, const AttributeValue& value);

}  // namespace gateleg::value

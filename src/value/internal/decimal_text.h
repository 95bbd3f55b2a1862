// How a decimal is spelled: shared by numbers and by keys decoded from disk.

#pragma once

#include <string>
#include <string_view>

namespace gateleg::value::internal {

// Appends digits * 10^exponent as plain decimal text. `digits` is not empty and has no leading or
// trailing zero.
void append_decimal(std::string& out, bool negative, std::string_view digits, int exponent);

}  // namespace gateleg::value::internal

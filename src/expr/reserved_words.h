// The words an expression may use as an attribute name only through a #placeholder.

#pragma once

#include <string_view>

namespace gateleg::expr {

// In any mix of upper and lower case.
bool is_reserved_word(std::string_view word);

}  // namespace gateleg::expr

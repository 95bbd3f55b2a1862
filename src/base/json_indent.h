// Lays JSON text out for people: a member a line, two blanks a level.

#pragma once

#include <string>
#include <string_view>

namespace gateleg {

// `json` is one valid document without white space between its tokens. Ends with a line break.
std::string indent_json(std::string_view json);

}  // namespace gateleg

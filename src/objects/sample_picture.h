// Pictures for example data: real files that need no network and no copy of anybody's work.

#pragma once

#include <string>
#include <string_view>

namespace gateleg::objects {

// A JPEG of a landscape, 960 by 640 pixels; each name gives another one, always the same.
std::string draw_sample(std::string_view name);

}  // namespace gateleg::objects

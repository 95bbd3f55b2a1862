// The JSON of the systems API, under the names this folder uses.

#pragma once

#include "value/json_tree.h"

namespace gateleg::api::rest {

using value::append_plain_json;
using value::kMaxJsonDepth;
using value::parse_json;

}  // namespace gateleg::api::rest

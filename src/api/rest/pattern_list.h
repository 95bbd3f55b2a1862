// GET <base>/patterns: which access patterns there are, and how each is asked.

#pragma once

#include <string>

#include "model/schema.h"

namespace gateleg::api::rest {

std::string render_pattern_list(const model::Model& model);

}  // namespace gateleg::api::rest

// A C++ client of a model: one header for C++20, over a transport the user writes.

#pragma once

#include <string>

#include "model/schema.h"

namespace gateleg::model {

std::string to_cpp(const Model& model);

}  // namespace gateleg::model

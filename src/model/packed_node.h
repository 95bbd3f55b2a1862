// The tree of a YAML file in bytes: what a build writes down of the models it embeds, so that a
// start need not read YAML. Only the program that wrote the bytes reads them; they are no format.

#pragma once

#include <string>
#include <string_view>

#include "model/node.h"

namespace gateleg::model {

std::string pack_node(const Node& node);
// Of bytes that pack_node() gave; others end the process.
Node unpack_node(std::string_view packed);

}  // namespace gateleg::model

// Reads YAML into Nodes. Nothing else in the project touches yaml-cpp.
//
// Refused: anchors, aliases, tags, a second document, duplicate keys, keys that YAML takes for
// null, true or false, more than 1 MB or 10,000 nodes, and calls whose arguments YAML has cut at a
// comma.

#pragma once

#include <optional>
#include <string_view>

#include "model/diagnostics.h"
#include "model/node.h"

namespace gateleg::model {

inline constexpr std::size_t kMaxModelBytes = 1024 * 1024;
inline constexpr std::size_t kMaxModelNodes = 30'000;

// Nothing if the text is no YAML; otherwise the tree, and errors for what is refused.
std::optional<Node> load_yaml(std::string_view text, Diagnostics& diagnostics);

}  // namespace gateleg::model

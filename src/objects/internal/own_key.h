// The key that this server signs with itself, made once and kept.

#pragma once

#include <filesystem>

#include "objects/store.h"

namespace gateleg::objects::internal {

OwnKey make_own_key();

// Reads <directory>/own-key, or makes it, readable by its owner alone. Throws
// std::filesystem::filesystem_error.
OwnKey load_own_key(const std::filesystem::path& directory);

}  // namespace gateleg::objects::internal

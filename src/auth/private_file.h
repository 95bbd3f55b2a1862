// Small files that only their owner may read: keys and what belongs to them.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::auth {

// Nothing if there is no such file. Errors name it.
Result<std::optional<std::string>> read_private_file(const std::filesystem::path& path);

// The new contents are on the disk when it returns; a crash leaves the old or the new. Mode 0600.
Result<void> replace_private_file(const std::filesystem::path& path, std::string_view contents);

// Whether group or others have any right on it.
bool is_open_to_others(const std::filesystem::path& path);

}  // namespace gateleg::auth

// A fresh link into the console of the server that has a data directory open.

#pragma once

#include <filesystem>
#include <string>

namespace gateleg::app {

// Empty if that server runs without a console. Throws std::runtime_error if none runs there.
std::string request_console_link(const std::filesystem::path& data);

}  // namespace gateleg::app

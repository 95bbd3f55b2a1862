// The systems this binary has: their files, and the C++ of those that need some.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systems/services.h"

namespace gateleg::systems {

// The texts of systems/<name>/, as they were when the binary was built.
struct SystemFiles {
    std::string_view name;
    std::string_view model;
    std::string_view catalog;  // empty if it has none
    std::string_view demo;     // empty if it has none
    // The trees of model and catalogue (model/packed_node.h); the build has checked them.
    std::string_view packed_model;
    std::string_view packed_catalog;
};
const std::vector<SystemFiles>& built_in_systems();
// Null if there is no such system.
const SystemFiles* find_system(std::string_view name);

// Installs the native operations of every loaded system that is one of ours. Each gets services of
// its own, with its bucket; they are given back and outlive the runtimes' last call.
using InstalledServices = std::vector<std::unique_ptr<const Services>>;
[[nodiscard]] InstalledServices install_systems(const Services& services);

// Sessions of those loaded systems whose users log in.
std::unique_ptr<SessionSource> make_session_source(const Services& services);

}  // namespace gateleg::systems

#include "app/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace gateleg::app {
namespace {

namespace fs = std::filesystem;

constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();

// "max" and what cannot be read are no bound.
std::uint64_t read_bound(const fs::path& file) {
    std::uint64_t bytes = 0;
    return std::ifstream(file) >> bytes ? bytes : kUnlimited;
}

// Bounds hold for a group and all above it. In a container the path may be one of the machine
// outside: then the root of what can be seen is the group itself.
std::uint64_t smallest_bound(const fs::path& root, fs::path group, const char* file) {
    auto smallest = read_bound(root / file);
    for (; group.has_relative_path(); group = group.parent_path()) {
        smallest = std::min(smallest, read_bound(root / group.relative_path() / file));
    }
    return smallest;
}

std::uint64_t machine_memory(const fs::path& proc) {
    constexpr std::uint64_t kKilobyte = 1024;
    std::ifstream file(proc / "meminfo");
    std::string name;
    std::uint64_t kilobytes = 0;
    return file >> name >> kilobytes && name == "MemTotal:" ? kilobytes * kKilobyte : kUnlimited;
}

}  // namespace

std::uint64_t memory_limit(const fs::path& proc, const fs::path& cgroups) {
    auto smallest = machine_memory(proc);
    std::ifstream groups(proc / "self" / "cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "4:memory:/group" in version 1, "0::/group" in version 2
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const fs::path group = line.substr(second + 1);
        if (controllers == ",,") {
            smallest = std::min(smallest, smallest_bound(cgroups, group, "memory.max"));
        } else if (controllers.find(",memory,") != std::string::npos) {
            smallest = std::min(
                smallest, smallest_bound(cgroups / "memory", group, "memory.limit_in_bytes")
            );
        }
    }
    return smallest;
}

std::size_t body_pool_bytes(std::uint64_t memory_limit) {
    constexpr std::uint64_t kPart = 8;
    constexpr std::uint64_t kLeast = std::uint64_t{32} << 20;  // two of the largest
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
    return static_cast<std::size_t>(std::clamp(memory_limit / kPart, kLeast, kMost));
}

std::size_t block_cache_bytes(std::uint64_t memory_limit) {
    constexpr std::uint64_t kPart = 8;
    constexpr std::uint64_t kLeast = std::uint64_t{32} << 20;
    constexpr std::uint64_t kMost = std::uint64_t{256} << 20;
    return static_cast<std::size_t>(std::clamp(memory_limit / kPart, kLeast, kMost));
}

}  // namespace gateleg::app

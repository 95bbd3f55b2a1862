// How much memory the process may take before the kernel ends it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace gateleg::app {

// The smallest of the machine's memory and the bounds of its cgroups (version 1 or 2). The folders
// are parameters for tests.
std::uint64_t memory_limit(
    const std::filesystem::path& proc = "/proc",
    const std::filesystem::path& cgroups = "/sys/fs/cgroup"
);

// What bodies of requests on their way may take of it. They are parsed into as much again and more.
std::size_t body_pool_bytes(std::uint64_t memory_limit);

// What is kept of blocks of files that were read may take of it.
std::size_t block_cache_bytes(std::uint64_t memory_limit);

}  // namespace gateleg::app

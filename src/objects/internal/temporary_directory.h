// A directory for bodies that need not outlive the process.

#pragma once

#include <filesystem>

#include "objects/internal/file_descriptor.h"

namespace gateleg::objects::internal {

// Goes with its owner. What killed processes left behind goes when the next one is made: a lock
// tells whether anyone still uses a directory.
class TemporaryDirectory {
public:
    TemporaryDirectory() = default;  // none
    // Throws std::filesystem::filesystem_error.
    static TemporaryDirectory make();
    TemporaryDirectory(TemporaryDirectory&& other) noexcept
        : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
    TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
    ~TemporaryDirectory();

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    FileDescriptor lock_;
};

}  // namespace gateleg::objects::internal

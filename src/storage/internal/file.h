// The few file operations that need more care than a stream takes.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace gateleg::storage::internal {

// An open file descriptor. Closed with its owner.
class File {
public:
    File() = default;
    // Throws std::filesystem::filesystem_error.
    File(const std::filesystem::path& path, int flags);
    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~File();

    int fd() const { return fd_; }

private:
    int fd_ = -1;
};

// Throws std::filesystem::filesystem_error, also when there is no such file.
std::string read_file(const std::filesystem::path& path);

// After a crash at any moment the file is the old one or the new one, and after the return it is
// the new one. Throws std::filesystem::filesystem_error.
void replace_file(const std::filesystem::path& path, std::string_view contents);

void sync_file(const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

}  // namespace gateleg::storage::internal

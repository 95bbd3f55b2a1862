#include "storage/internal/file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace gateleg::storage::internal {
namespace {

[[noreturn]] void fail(const char* doing, const std::filesystem::path& path) {
    throw std::filesystem::filesystem_error(
        doing, path, std::error_code(errno, std::generic_category())
    );
}

void write_all(const File& file, std::string_view bytes, const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file.fd(), bytes.data(), bytes.size());
        if (count >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            fail("cannot write", path);
        }
    }
}

}  // namespace

File::File(const std::filesystem::path& path, int flags)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0) {
        fail("cannot open", path);
    }
}

File::~File() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

std::string read_file(const std::filesystem::path& path) {
    const File file(path, O_RDONLY);
    std::string contents(std::filesystem::file_size(path), '\0');
    std::size_t filled = 0;
    while (filled < contents.size()) {
        const ssize_t count = ::read(file.fd(), contents.data() + filled, contents.size() - filled);
        if (count < 0 && errno != EINTR) {
            fail("cannot read", path);
        }
        if (count == 0) {
            break;
        }
        filled += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    contents.resize(filled);
    return contents;
}

void replace_file(const std::filesystem::path& path, std::string_view contents) {
    auto temporary = path;
    temporary += ".tmp";
    {
        const File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
        write_all(file, contents, temporary);
        if (::fsync(file.fd()) != 0) {
            fail("cannot sync", temporary);
        }
    }
    std::filesystem::rename(temporary, path);
    sync_directory(path.parent_path());
}

void sync_file(const std::filesystem::path& path) {
    const File file(path, O_RDWR);
    if (::fsync(file.fd()) != 0) {
        fail("cannot sync", path);
    }
}

void sync_directory(const std::filesystem::path& directory) {
    const File file(directory, O_RDONLY | O_DIRECTORY);
    if (::fsync(file.fd()) != 0) {
        fail("cannot sync", directory);
    }
}

}  // namespace gateleg::storage::internal

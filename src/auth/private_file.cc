#include "auth/private_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace gateleg::auth {
namespace {

constexpr std::uintmax_t kMaxBytes = 16 << 20;

Error file_error(const std::filesystem::path& path, std::string_view doing) {
    return validation_error(
        path.string() + ": cannot be " + std::string(doing) + ": " + std::strerror(errno)
    );
}

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) {
            return false;
        }
        bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return ::fsync(file) == 0;
}

bool sync_directory(const std::filesystem::path& directory) {
    const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = file >= 0 && ::fsync(file) == 0;
    if (file >= 0) {
        ::close(file);
    }
    return synced;
}

}  // namespace

Result<std::optional<std::string>> read_private_file(const std::filesystem::path& path) {
    std::error_code failure;
    if (!std::filesystem::exists(path, failure) && !failure) {
        return std::optional<std::string>();
    }
    const auto size = std::filesystem::file_size(path, failure);  // fails on a folder too
    errno = failure.value();
    std::ifstream stream(path, std::ios::binary);
    if (failure || !stream) {
        return file_error(path, "read");
    }
    if (size > kMaxBytes) {
        return validation_error(path.string() + ": larger than 16 MiB");
    }
    std::ostringstream text;
    text << stream.rdbuf();
    return std::optional(text.str());
}

Result<void> replace_private_file(const std::filesystem::path& path, std::string_view contents) {
    auto temporary = path;
    temporary += ".tmp";
    const int file =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return file_error(temporary, "opened");
    }
    const bool written = write_all(file, contents);
    ::close(file);
    if (!written || ::rename(temporary.c_str(), path.c_str()) != 0 ||
        !sync_directory(path.parent_path().empty() ? "." : path.parent_path())) {
        auto error = file_error(path, "written");
        ::unlink(temporary.c_str());
        return error;
    }
    return {};
}

bool is_open_to_others(const std::filesystem::path& path) {
    constexpr auto kOthers = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    std::error_code failure;
    const auto permissions = std::filesystem::status(path, failure).permissions();
    return !failure && (permissions & kOthers) != std::filesystem::perms::none;
}

}  // namespace gateleg::auth

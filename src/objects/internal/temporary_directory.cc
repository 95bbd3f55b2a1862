#include "objects/internal/temporary_directory.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

namespace gateleg::objects::internal {

namespace {

constexpr const char* kPrefix = "gateleg-objects-";
constexpr const char* kLockName = "lock";
// Younger ones may be between their making and their lock.
constexpr std::chrono::minutes kMinAge{5};

FileDescriptor lock(const std::filesystem::path& directory, int flags) {
    FileDescriptor fd(::open((directory / kLockName).c_str(), flags | O_CLOEXEC, 0600));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        fd.reset();
    }
    return fd;
}

void remove_left_behind(const std::filesystem::path& parent) {
    std::error_code error;
    std::vector<std::filesystem::path> candidates;
    for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
        if (entry.path().filename().string().starts_with(kPrefix)) {
            candidates.push_back(entry.path());
        }
    }
    for (const auto& directory : candidates) {
        const auto made = std::filesystem::last_write_time(directory / kLockName, error);
        if (error || std::filesystem::file_time_type::clock::now() - made < kMinAge) {
            continue;
        }
        if (const auto held = lock(directory, O_RDWR | O_NOFOLLOW)) {
            std::filesystem::remove_all(directory, error);
        }
    }
}

}  // namespace

TemporaryDirectory TemporaryDirectory::make() {
    const auto parent = std::filesystem::temp_directory_path();
    remove_left_behind(parent);
    auto pattern = (parent / kPrefix).string() + "XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::filesystem::filesystem_error(
            "cannot make a temporary directory",
            pattern,
            std::error_code(errno, std::system_category())
        );
    }
    TemporaryDirectory made;
    made.path_ = pattern;
    made.lock_ = lock(made.path_, O_RDWR | O_CREAT);
    return made;
}

TemporaryDirectory::~TemporaryDirectory() {
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
}

}  // namespace gateleg::objects::internal

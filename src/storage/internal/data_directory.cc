#include "storage/internal/data_directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "storage/backup_files.h"
#include "storage/store.h"

namespace gateleg::storage::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormatLine = "gateleg data directory, format ";

[[noreturn]] void refuse(int exit_code, const fs::path& path, const std::string& why) {
    throw StoreOpenError(exit_code, path.string() + ": " + why);
}

// Nothing in it but what an interrupted first start leaves, keys that were made before it, or a
// server with a remote store.
bool is_unused(const fs::path& directory) {
    for (const auto& entry : fs::directory_iterator(directory)) {
        const auto name = entry.path().filename();
        if (name != "LOCK" && name != "FORMAT.tmp" && name != "server-secret" && name != "keys" &&
            name != "keys.tmp" && name != "keys-used" && name != "admin.sock") {
            return false;
        }
    }
    return true;
}

void require_private(const fs::path& directory) {
    struct stat status {};
    if (::stat(directory.c_str(), &status) != 0) {
        throw fs::filesystem_error(
            "cannot examine", directory, std::error_code(errno, std::generic_category())
        );
    }
    if ((status.st_mode & 077) == 0) {
        return;
    }
    // An empty directory of our own is as good as one we create. Sticky ones, such as /tmp, are
    // meant to be shared and are never taken.
    if ((status.st_mode & S_ISVTX) == 0 && status.st_uid == ::geteuid() && is_unused(directory)) {
        fs::permissions(directory, fs::perms::owner_all);
        return;
    }
    refuse(
        StoreOpenError::kOther,
        directory,
        "other users can reach the data directory; make it private with: chmod 700 " +
            directory.string()
    );
}

int read_format(const fs::path& file) {
    std::string text;
    try {
        text = read_file(file);
    } catch (const fs::filesystem_error& error) {
        refuse(
            StoreOpenError::kDamaged,
            file,
            "the file that names the format cannot be read (" + error.code().message() +
                "); restore it from a backup"
        );
    }
    int version = 0;
    const auto* begin = text.data() + std::min(kFormatLine.size(), text.size());
    const auto* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(begin, end, version);
    const bool whole = text.starts_with(kFormatLine) && failure == std::errc() &&
                       std::string_view(rest, static_cast<std::size_t>(end - rest)) == "\n";
    if (!whole || version < 1) {
        refuse(StoreOpenError::kDamaged, file, "is not a file that names a format");
    }
    return version;
}

void check_format(const fs::path& directory) {
    const auto file = directory / "FORMAT";
    if (!fs::exists(file)) {
        if (fs::exists(directory / "db")) {
            refuse(
                StoreOpenError::kDamaged,
                file,
                "is missing although the directory holds data; restore it from a backup"
            );
        }
        if (!is_unused(directory)) {
            refuse(
                StoreOpenError::kOther,
                directory,
                "holds other files; a data directory must be new, empty or Gateleg's own"
            );
        }
        return;
    }
    const int version = read_format(file);
    if (version > kFormatVersion) {
        refuse(
            StoreOpenError::kNewerFormat,
            directory,
            "has data format " + std::to_string(version) + ", this release reads up to format " +
                std::to_string(kFormatVersion) + "; use a newer release. Nothing was changed"
        );
    }
}

File lock(const fs::path& directory) {
    File file(directory / "LOCK", O_RDWR | O_CREAT);
    if (!lock_exclusively(file.fd())) {
        refuse(StoreOpenError::kOther, directory, "already in use by another Gateleg process");
    }
    return file;
}

}  // namespace

DataDirectory::DataDirectory(const fs::path& directory) : directory_(fs::absolute(directory)) {
    try {
        if (!fs::exists(directory_)) {
            fs::create_directories(directory_);
            fs::permissions(directory_, fs::perms::owner_all);
        } else if (!fs::is_directory(directory_)) {
            refuse(StoreOpenError::kOther, directory_, "is not a directory");
        }
        require_private(directory_);
        check_format(directory_);
        lock_ = lock(directory_);
        // From here on its files change: it is a backup no longer.
        fs::remove(directory_ / kBackupListName);
        if (!fs::exists(directory_ / "FORMAT")) {
            replace_file(
                directory_ / "FORMAT",
                std::string(kFormatLine) + std::to_string(kFormatVersion) + "\n"
            );
        }
    } catch (const fs::filesystem_error& error) {
        throw StoreOpenError(StoreOpenError::kOther, error.what());
    }
}

}  // namespace gateleg::storage::internal

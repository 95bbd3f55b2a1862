// The folder given with --data: who may see it, who uses it, and in which format it is.
// docs/formats/data-directory.md describes its files.

#pragma once

#include <filesystem>

#include "storage/internal/file.h"

namespace gateleg::storage::internal {

// Written to disk. Raised when an older release could not read what this one writes.
constexpr int kFormatVersion = 1;

// Holds the directory's lock as long as it lives.
class DataDirectory {
public:
    // Creates the directory if needed. Throws StoreOpenError; a directory of a newer format is left
    // as it was, to the byte.
    explicit DataDirectory(const std::filesystem::path& directory);

    std::filesystem::path database() const { return directory_ / "db"; }
    std::filesystem::path mark() const { return directory_ / "MARK"; }

private:
    std::filesystem::path directory_;
    File lock_;
};

}  // namespace gateleg::storage::internal

// The list of a backup's files: each with its size and SHA-256, so that a copy that was kept for a
// year on a disk nobody looks at is not taken for whole when it is not.
//
// docs/formats/data-directory.md describes the file BACKUP. It goes when the directory is opened as
// a store, for that changes the files.

#pragma once

#include <filesystem>
#include <string_view>

#include "storage/copy_store.h"

namespace gateleg::storage {

inline constexpr std::string_view kBackupListName = "BACKUP";

// Lists what is in `directory`, a closed store; durable when it returns. Throws
// std::filesystem::filesystem_error.
void list_backup_files(const std::filesystem::path& directory, const CopyTotals& totals);

bool is_listed_backup(const std::filesystem::path& directory);

// Copies the listed files into `to`, an empty or new directory; the originals are only read. What
// is copied is what was compared with the list. Gives what the list says of rows. Throws
// StoreOpenError with exit code 3, and the name of the file, if one is not as it was listed.
CopyTotals copy_listed_files(const std::filesystem::path& from, const std::filesystem::path& to);

// After a crash it has one name or the other. Throws std::filesystem::filesystem_error.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gateleg::storage

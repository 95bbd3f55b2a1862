#include "storage/backup_files.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "storage/internal/file.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "gateleg backup, format 1";
constexpr std::size_t kDigestDigits = 64;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
    throw StoreOpenError(StoreOpenError::kDamaged, file.string() + ": " + why);
}

// Names relative to the directory, in a fixed order.
std::vector<std::string> files_of(const fs::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        auto name = entry.path().lexically_relative(directory).generic_string();
        if (entry.is_regular_file() && name != kBackupListName && name != "LOCK") {
            names.push_back(std::move(name));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

struct ListedFile {
    std::string digest;
    std::uint64_t bytes = 0;
    std::string name;
};
struct Listing {
    CopyTotals totals;
    std::vector<ListedFile> files;
};

// Takes a number and the space behind it from the front of `line`.
bool take_number(std::string_view& line, std::uint64_t& number) {
    const auto [rest, failure] = std::from_chars(line.data(), line.data() + line.size(), number);
    const auto used = static_cast<std::size_t>(rest - line.data());
    if (failure != std::errc() || used >= line.size() || line[used] != ' ') {
        return false;
    }
    line.remove_prefix(used + 1);
    return true;
}

std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// The list has been compared with its digest: what does not read is of another release.
Listing read_list(const fs::path& path) {
    std::string contents;
    try {
        contents = internal::read_file(path);
    } catch (const fs::filesystem_error& error) {
        refuse(path, error.code().message());
    }
    const auto last_line = contents.size() - std::min(contents.size(), kDigestDigits + 1);
    const auto listed = std::string_view(contents).substr(0, last_line);
    if (std::string_view(contents).substr(last_line) != to_hex(sha256(listed)) + "\n") {
        refuse(path, "the list of the backup's files is damaged");
    }
    auto text = listed;
    Listing listing;
    const auto first = take_line(text);
    auto totals = take_line(text);
    if (first != kFirstLine || !take_number(totals, listing.totals.rows) ||
        !take_number(totals, listing.totals.bytes)) {
        refuse(path, "is not a list that this release can read");
    }
    while (!text.empty()) {
        auto line = take_line(text);
        ListedFile file{.digest = std::string(line.substr(0, kDigestDigits))};
        line.remove_prefix(std::min(line.size(), kDigestDigits + 1));
        const bool whole = take_number(line, file.bytes);
        file.name = line;
        const fs::path name(file.name);
        if (!whole || name.empty() || name.is_absolute() ||
            std::find(name.begin(), name.end(), "..") != name.end()) {
            refuse(path, "is not a list that this release can read");
        }
        listing.files.push_back(std::move(file));
    }
    return listing;
}

std::string read_listed(const fs::path& path, const ListedFile& listed) {
    std::string contents;
    try {
        if (const auto bytes = fs::file_size(path); bytes != listed.bytes) {
            refuse(
                path,
                "has " + std::to_string(bytes) + " bytes, not the " + std::to_string(listed.bytes) +
                    " that the backup was made with; use another backup"
            );
        }
        contents = internal::read_file(path);
    } catch (const fs::filesystem_error& error) {
        refuse(path, error.code().message() + "; use another backup");
    }
    if (to_hex(sha256(contents)) != listed.digest) {
        refuse(path, "is not as it was when the backup was made; use another backup");
    }
    return contents;
}

}  // namespace

void list_backup_files(const fs::path& directory, const CopyTotals& totals) {
    std::string list(kFirstLine);
    list +=
        "\n" + std::to_string(totals.rows) + " " + std::to_string(totals.bytes) + " rows, bytes\n";
    for (const auto& name : files_of(directory)) {
        const auto contents = internal::read_file(directory / name);
        append_hex(list, sha256(contents));
        list += " " + std::to_string(contents.size()) + " " + name + "\n";
    }
    list += to_hex(sha256(list)) + "\n";
    internal::replace_file(directory / kBackupListName, list);
}

bool is_listed_backup(const fs::path& directory) {
    std::error_code ignored;
    return fs::exists(directory / kBackupListName, ignored);
}

CopyTotals copy_listed_files(const fs::path& from, const fs::path& to) {
    const auto listing = read_list(from / kBackupListName);
    fs::create_directories(to);
    fs::permissions(to, fs::perms::owner_all);
    for (const auto& listed : listing.files) {
        const auto contents = read_listed(from / listed.name, listed);
        const auto target = to / listed.name;
        fs::create_directories(target.parent_path());
        internal::replace_file(target, contents);
    }
    return listing.totals;
}

void rename_durably(const fs::path& from, const fs::path& to) {
    fs::rename(from, to);
    internal::sync_directory(fs::absolute(to).parent_path());
}

}  // namespace gateleg::storage

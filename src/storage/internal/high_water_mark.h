// A small file that remembers how far the store had come. A log that was deleted or cut short looks
// like a shorter log; only a record outside it can tell.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "storage/internal/file.h"
#include "storage/store.h"

namespace gateleg::storage::internal {

struct HighWaterMark {
    // Writes up to this one were acknowledged.
    std::uint64_t acknowledged = 0;
    // Writes up to this one were forced to the disk. Less than the former only without fsync.
    std::uint64_t on_disk = 0;
    Durability durability = Durability::kFsync;
    // The store was flushed and stopped; nothing is in the log.
    bool clean = false;
    // Which run of the machine wrote this. What the kernel held is lost only between two runs.
    std::string boot_id = {};

    // The writes that must be there now.
    std::uint64_t required() const;
    bool from_this_boot() const;
};

// Empty where the system does not tell.
std::string current_boot_id();

// Two slots, written in turn and in place: cheaper than a new file each second, and a write that is
// cut short leaves the other slot. One thread at a time.
class HighWaterMarkFile {
public:
    // None if the file is missing or holds no whole slot.
    static std::optional<HighWaterMark> load(const std::filesystem::path& path);

    // Goes on in the file there is, or makes a new one; `mark` is on the disk afterwards. Throws
    // std::filesystem::filesystem_error.
    HighWaterMarkFile(const std::filesystem::path& path, const HighWaterMark& mark);

    // False if the disk failed it; the previous mark is then still good.
    bool write(const HighWaterMark& mark, bool sync);

private:
    File file_;
    std::uint64_t generation_ = 0;
};

}  // namespace gateleg::storage::internal

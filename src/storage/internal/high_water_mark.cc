#include "storage/internal/high_water_mark.h"

#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "storage/internal/crc32c.h"
#include "storage/internal/little_endian.h"

namespace gateleg::storage::internal {
namespace {

// Written to disk: docs/formats/data-directory.md.
constexpr std::string_view kMagic = "GLGMARK1";
constexpr std::size_t kBootIdBytes = 40;
constexpr std::size_t kPayloadBytes = 8 + 3 * 8 + 2 + kBootIdBytes;
constexpr std::size_t kRecordBytes = kPayloadBytes + 4;
// Apart by a page, so that no torn write reaches both.
constexpr std::size_t kSlotBytes = 4096;
constexpr std::size_t kFileBytes = 2 * kSlotBytes;

struct Slot {
    std::uint64_t generation = 0;
    HighWaterMark mark;
};

std::string encode(const Slot& slot) {
    std::string bytes(kMagic);
    append_u64(bytes, slot.generation);
    append_u64(bytes, slot.mark.acknowledged);
    append_u64(bytes, slot.mark.on_disk);
    bytes.push_back(static_cast<char>(slot.mark.durability));
    bytes.push_back(slot.mark.clean ? 1 : 0);
    auto boot_id = slot.mark.boot_id;
    boot_id.resize(kBootIdBytes, '\0');
    bytes += boot_id;
    append_u32(bytes, crc32c(bytes));
    return bytes;
}

std::optional<Slot> decode(std::string_view bytes) {
    if (bytes.size() < kRecordBytes || !bytes.starts_with(kMagic) ||
        read_u32(bytes.substr(kPayloadBytes)) != crc32c(bytes.substr(0, kPayloadBytes))) {
        return std::nullopt;
    }
    Slot slot;
    slot.generation = read_u64(bytes.substr(8));
    slot.mark.acknowledged = read_u64(bytes.substr(16));
    slot.mark.on_disk = read_u64(bytes.substr(24));
    slot.mark.durability = static_cast<Durability>(bytes[32]);
    slot.mark.clean = bytes[33] != 0;
    const auto boot_id = bytes.substr(34, kBootIdBytes);
    slot.mark.boot_id = boot_id.substr(0, boot_id.find('\0'));
    return slot;
}

std::optional<Slot> newest_slot(const std::filesystem::path& path) {
    std::string contents;
    try {
        contents = read_file(path);
    } catch (const std::filesystem::filesystem_error&) {
        return std::nullopt;
    }
    std::optional<Slot> newest;
    for (std::size_t offset = 0; offset < contents.size(); offset += kSlotBytes) {
        const auto slot = decode(std::string_view(contents).substr(offset));
        if (slot && (!newest || slot->generation > newest->generation)) {
            newest = slot;
        }
    }
    return newest;
}

}  // namespace

std::uint64_t HighWaterMark::required() const {
    return from_this_boot() ? acknowledged : on_disk;
}

bool HighWaterMark::from_this_boot() const {
    return !boot_id.empty() && boot_id == current_boot_id();
}

std::string current_boot_id() {
    // Files under /proc have no size to read by.
    std::string text(kBootIdBytes, '\0');
    try {
        const File file("/proc/sys/kernel/random/boot_id", O_RDONLY);
        const ssize_t count = ::read(file.fd(), text.data(), text.size());
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    } catch (const std::filesystem::filesystem_error&) {
        return {};
    }
    return text.substr(0, text.find('\n'));
}

std::optional<HighWaterMark> HighWaterMarkFile::load(const std::filesystem::path& path) {
    const auto slot = newest_slot(path);
    if (!slot) {
        return std::nullopt;
    }
    return slot->mark;
}

HighWaterMarkFile::HighWaterMarkFile(const std::filesystem::path& path, const HighWaterMark& mark) {
    if (const auto slot = newest_slot(path);
        slot && std::filesystem::file_size(path) == kFileBytes) {
        file_ = File(path, O_WRONLY);
        generation_ = slot->generation;
        if (write(mark, true)) {
            return;
        }
    }
    std::string contents = encode({generation_, mark});
    // Whole slots from the start, so that writing in place never has to find room.
    contents.resize(kFileBytes, '\0');
    replace_file(path, contents);
    file_ = File(path, O_WRONLY);
}

bool HighWaterMarkFile::write(const HighWaterMark& mark, bool sync) {
    ++generation_;
    const auto record = encode({generation_, mark});
    const auto offset = static_cast<off_t>((generation_ % 2) * kSlotBytes);
    if (::pwrite(file_.fd(), record.data(), record.size(), offset) !=
        static_cast<ssize_t>(record.size())) {
        return false;
    }
    return !sync || ::fdatasync(file_.fd()) == 0;
}

}  // namespace gateleg::storage::internal

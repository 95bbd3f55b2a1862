#include "storage/internal/wal_scan.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "storage/internal/crc32c.h"
#include "storage/internal/file.h"
#include "storage/internal/little_endian.h"

namespace gateleg::storage::internal {
namespace {

// A log is blocks of 32 KB; a record is one fragment or several, none across two blocks. A fragment
// is a masked crc32c of type and payload (4 bytes), the payload's length (2), the type (1),
// payload.
constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kHeaderBytes = 7;
// Every record is a write batch, which begins with its sequence number (8) and its count (4).
constexpr std::size_t kBatchHeaderBytes = 12;

enum class FragmentType : unsigned char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct Fragment {
    FragmentType type;
    std::string_view payload;
};

std::uint32_t mask(std::uint32_t crc) {
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

std::size_t left_in_block(std::size_t offset) {
    return kBlockBytes - offset % kBlockBytes;
}

std::optional<Fragment> read_fragment(std::string_view log, std::size_t offset) {
    if (offset + kHeaderBytes > log.size() || left_in_block(offset) < kHeaderBytes) {
        return std::nullopt;
    }
    const auto type = static_cast<unsigned char>(log[offset + 6]);
    if (type < 1 || type > 4) {
        return std::nullopt;
    }
    const std::size_t length = static_cast<unsigned char>(log[offset + 4]) |
                               static_cast<std::size_t>(static_cast<unsigned char>(log[offset + 5]))
                                   << 8;
    if (kHeaderBytes + length > std::min(left_in_block(offset), log.size() - offset)) {
        return std::nullopt;
    }
    if (read_u32(log.substr(offset)) != mask(crc32c(log.substr(offset + 6, 1 + length)))) {
        return std::nullopt;
    }
    return Fragment{static_cast<FragmentType>(type), log.substr(offset + kHeaderBytes, length)};
}

// Whether a fragment found behind damage begins a record written after the last good one. Bytes
// that only look like one, say a log stored as somebody's value, mostly fail the sequence number.
bool begins_later_record(const Fragment& fragment, std::uint64_t next_sequence) {
    if (fragment.type == FragmentType::kFirst && fragment.payload.size() < 8) {
        return true;
    }
    const bool begins =
        fragment.type == FragmentType::kFirst ||
        (fragment.type == FragmentType::kFull && fragment.payload.size() >= kBatchHeaderBytes);
    return begins && read_u64(fragment.payload) >= next_sequence;
}

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::uint64_t count_records_from(
    std::string_view log, std::size_t offset, std::uint64_t next_sequence
) {
    std::uint64_t count = 0;
    while (offset + kHeaderBytes <= log.size()) {
        const auto fragment = read_fragment(log, offset);
        if (!fragment) {
            ++offset;
            continue;
        }
        count += begins_later_record(*fragment, next_sequence) ? 1 : 0;
        offset += kHeaderBytes + fragment->payload.size();
    }
    return count;
}

// Reads one log from its beginning up to the first damage.
class Scanner {
public:
    explicit Scanner(std::string_view log) : log_(log) { scan_.bytes = log.size(); }

    WalScan run() {
        while (offset_ < log_.size()) {
            if (left_in_block(offset_) < kHeaderBytes) {
                offset_ += left_in_block(offset_);
                continue;
            }
            const auto fragment = read_fragment(log_, offset_);
            if (!fragment || !take(*fragment)) {
                note_damage();
                return scan_;
            }
            offset_ += kHeaderBytes + fragment->payload.size();
        }
        if (in_record_) {
            note_damage();
        }
        return scan_;
    }

private:
    // False if the fragment does not belong here.
    bool take(const Fragment& fragment) {
        const bool begins =
            fragment.type == FragmentType::kFull || fragment.type == FragmentType::kFirst;
        if (begins == in_record_) {
            return false;
        }
        if (begins) {
            record_offset_ = offset_;
            head_.clear();
            in_record_ = true;
        }
        head_.append(fragment.payload.substr(0, kBatchHeaderBytes - head_.size()));
        if (fragment.type == FragmentType::kFull || fragment.type == FragmentType::kLast) {
            in_record_ = false;
            return finish_record();
        }
        return true;
    }

    bool finish_record() {
        if (head_.size() < kBatchHeaderBytes) {
            return false;
        }
        const std::uint64_t sequence = read_u64(head_);
        if (scan_.records == 0) {
            scan_.first_sequence = sequence;
        }
        ++scan_.records;
        scan_.next_sequence =
            std::max(scan_.next_sequence, sequence + read_u32(std::string_view(head_).substr(8)));
        return true;
    }

    void note_damage() {
        WalDamage damage;
        damage.offset = in_record_ ? record_offset_ : offset_;
        damage.bytes = log_.size() - damage.offset;
        damage.is_room = !in_record_ && is_zero(log_.substr(offset_));
        if (!damage.is_room) {
            damage.records_behind = count_records_from(log_, offset_, scan_.next_sequence);
        }
        scan_.damage = damage;
    }

    std::string_view log_;
    std::size_t offset_ = 0;
    std::size_t record_offset_ = 0;
    bool in_record_ = false;
    std::string head_;
    WalScan scan_;
};

// Where the first record begins that is not whole; the size of the log if all are.
std::size_t end_of_whole_records(std::string_view log) {
    std::size_t end = 0;
    bool in_record = false;
    for (std::size_t offset = 0; offset < log.size();) {
        if (left_in_block(offset) < kHeaderBytes) {
            offset += left_in_block(offset);
            end = in_record ? end : std::min(offset, log.size());
            continue;
        }
        const auto fragment = read_fragment(log, offset);
        if (!fragment) {
            return end;
        }
        const bool begins =
            fragment->type == FragmentType::kFull || fragment->type == FragmentType::kFirst;
        if (begins == in_record) {
            return end;
        }
        offset += kHeaderBytes + fragment->payload.size();
        in_record =
            fragment->type == FragmentType::kFirst || fragment->type == FragmentType::kMiddle;
        end = in_record ? end : offset;
    }
    return end;
}

std::optional<std::uint64_t> log_number(const std::filesystem::path& file) {
    const auto stem = file.stem().string();
    std::uint64_t number = 0;
    const auto* end = stem.data() + stem.size();
    const auto [rest, failure] = std::from_chars(stem.data(), end, number);
    if (file.extension() != ".log" || failure != std::errc() || rest != end) {
        return std::nullopt;
    }
    return number;
}

// Appends a younger log's result to that of the older ones.
void append_scan(WalScan& all, const WalScan& log) {
    all.bytes += log.bytes;
    if (log.records > 0 && all.damage) {
        // A recovery that dropped a torn tail goes on in a new log where the old one ended. Where
        // an old one ended that holds no whole record, only the recovered database can tell.
        if (all.records > 0 && log.first_sequence > all.next_sequence) {
            all.damage->records_behind += log.records;
            return;
        }
        all.damage->records_behind = 0;
    }
    if (all.records == 0) {
        all.first_sequence = log.first_sequence;
    }
    all.records += log.records;
    all.next_sequence = std::max(all.next_sequence, log.next_sequence);
    if (log.damage) {
        all.damage = log.damage;
    }
}

}  // namespace

WalScan scan_wal(std::string_view contents) {
    return Scanner(contents).run();
}

std::optional<WalDamage> find_log_damage(std::string_view contents) {
    WalDamage damage;
    damage.offset = end_of_whole_records(contents);
    if (damage.offset == contents.size()) {
        return std::nullopt;
    }
    damage.bytes = contents.size() - damage.offset;
    for (auto offset = damage.offset; offset + kHeaderBytes <= contents.size(); ++offset) {
        const auto fragment = read_fragment(contents, offset);
        // The one that was cut short may have begun well.
        const bool begins =
            fragment && (fragment->type == FragmentType::kFull ||
                         (fragment->type == FragmentType::kFirst && offset != damage.offset));
        damage.records_behind += begins ? 1 : 0;
    }
    return damage;
}

WalScan scan_wals(const std::filesystem::path& database) {
    std::vector<std::pair<std::uint64_t, std::filesystem::path>> logs;
    for (const auto& entry : std::filesystem::directory_iterator(database)) {
        if (const auto number = log_number(entry.path())) {
            logs.emplace_back(*number, entry.path());
        }
    }
    std::sort(logs.begin(), logs.end());
    WalScan all;
    for (const auto& [number, path] : logs) {
        auto scan = scan_wal(read_file(path));
        if (scan.damage) {
            scan.damage->file = path;
        }
        append_scan(all, scan);
    }
    return all;
}

}  // namespace gateleg::storage::internal

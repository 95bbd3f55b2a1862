// Reads RocksDB's write-ahead logs without RocksDB, to tell a write that was cut short by a crash
// from damage to writes that were acknowledged. RocksDB's own recovery modes cannot: each either
// drops good records behind damage silently or refuses what a power cut leaves.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg::storage::internal {

struct WalDamage {
    std::filesystem::path file;
    // Where the record that cannot be read begins, and how much of the file that leaves out.
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    // Records that began after the damage and are whole, here and in later logs. One group commit
    // is one record, written after the one before was synced: with fsync, a record behind damage
    // means that acknowledged data is damaged. None means that the last write was cut short.
    std::uint64_t records_behind = 0;
    // Zeros up to the end behind a whole record: room that was not used (roomy_logs.h), and no
    // damage unless there are records behind it.
    bool is_room = false;
};

struct WalScan {
    std::uint64_t bytes = 0;
    // Those that can be read in one go, from the beginning.
    std::uint64_t records = 0;
    // Of the first of them, and one more than their last write; 0 if there is none.
    std::uint64_t first_sequence = 0;
    std::uint64_t next_sequence = 0;
    std::optional<WalDamage> damage;
};

// One log's contents.
WalScan scan_wal(std::string_view contents);

// The same for records that are no writes: RocksDB's MANIFEST is a log too.
std::optional<WalDamage> find_log_damage(std::string_view contents);

// All logs of a database directory, oldest first. Throws std::filesystem::filesystem_error.
WalScan scan_wals(const std::filesystem::path& database);

}  // namespace gateleg::storage::internal

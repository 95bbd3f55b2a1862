#include "storage/internal/recovery.h"

#include <algorithm>
#include <string>

#include "base/log.h"
#include "storage/internal/file.h"
#include "storage/internal/wal_scan.h"

namespace gateleg::storage::internal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToAccept =
    "Restore a backup, or take the loss by starting once with: gateleg serve --accept-data-loss";

[[noreturn]] void refuse_damage(const std::string& message) {
    throw StoreOpenError(StoreOpenError::kDamaged, message);
}

std::string describe(const WalDamage& damage) {
    return damage.file.string() + ": the log is damaged at offset " +
           std::to_string(damage.offset) + "; " + std::to_string(damage.records_behind) +
           " intact records behind it would be lost. ";
}

bool holds_data(const fs::path& database) {
    if (!fs::exists(database)) {
        return false;
    }
    const fs::directory_iterator files(database);
    return std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
        const auto kind = file.path().extension();
        return kind == ".sst" || (kind == ".log" && file.file_size() > 0);
    });
}

// The manifest in use, if it ends in the middle of a record and no whole one is behind that.
std::optional<WalDamage> find_torn_manifest(const fs::path& database) {
    auto name = read_file(database / "CURRENT");
    name = name.substr(0, name.find('\n'));
    const auto file = database / name;
    if (!name.starts_with("MANIFEST-") || !fs::exists(file)) {
        return std::nullopt;  // RocksDB says what is wrong
    }
    auto damage = find_log_damage(read_file(file));
    if (!damage || damage->offset == 0 || damage->records_behind > 0) {
        return std::nullopt;
    }
    damage->file = file;
    return damage;
}

// The steps of one open, in order.
class Recovery {
public:
    explicit Recovery(const RecoveryRequest& request)
        : request_(request),
          options_(request.options),
          mark_(request.mark.value_or(HighWaterMark{})) {}

    RecoveredDatabase run() {
        fs::remove_all(beside());  // of a look that was interrupted
        if (!fs::exists(request_.database / "CURRENT")) {
            require_new();
            fs::create_directory(request_.database);
            options_.create_if_missing = true;
            return open();
        }
        options_.create_if_missing = false;
        if (!request_.mark && !request_.accept_data_loss) {
            refuse_damage(
                (request_.database.parent_path() / "MARK").string() +
                ": is missing or damaged, so nothing tells whether the data is complete. " +
                kHowToAccept
            );
        }
        scan_ = scan_wals(request_.database);
        judge_damage();
        if (const auto torn = find_torn_manifest(request_.database)) {
            judge_without(*torn);
            cut(*torn);
        } else {
            judge_length();
        }
        auto recovered = open();
        require_sequence(recovered.db->GetLatestSequenceNumber());
        return recovered;
    }

private:
    // Creating a database where one has lost its CURRENT would delete what is left of it.
    void require_new() const {
        if (request_.mark && mark_.acknowledged == 0 && !holds_data(request_.database)) {
            return;
        }
        refuse_damage(
            (request_.database / "CURRENT").string() +
            ": is missing, so the database cannot be opened; restore a backup"
        );
    }

    void judge_damage() {
        options_.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
        if (request_.accept_data_loss) {
            options_.track_and_verify_wals_in_manifest = false;
            options_.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
        }
        if (!scan_.damage) {
            return;
        }
        const WalDamage& damage = *scan_.damage;
        // Without fsync a power cut may lose any part of what was not yet written back.
        const bool may_have_holes =
            mark_.durability == Durability::kProcess && !mark_.from_this_boot();
        if (damage.records_behind > 0 && !may_have_holes && !request_.accept_data_loss) {
            refuse_damage(describe(damage) + kHowToAccept);
        }
        options_.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
        if (damage.is_room && damage.records_behind == 0) {
            return;
        }
        log_warn(
            damage.records_behind > 0 ? "damaged log dropped" : "unfinished last write dropped",
            {{"file", damage.file.string()},
             {"offset", damage.offset},
             {"bytes", damage.bytes},
             {"records_behind", damage.records_behind}}
        );
    }

    // Catches a log that was deleted or cut short. The scan is far quicker than a second replay;
    // only when the log alone does not reach the mark must RocksDB say what the files hold.
    void judge_length() {
        const bool stopped_cleanly = mark_.clean && scan_.bytes == 0;
        if (stopped_cleanly || scan_.next_sequence > mark_.required()) {
            return;
        }
        require_length(request_.database);
    }

    // The manifest ends in a record that was cut short, which RocksDB takes for damage. What it
    // tells was not yet relied on, if the rest reaches the mark: this is found out beside, for an
    // open deletes the files that a manifest does not name.
    void judge_without(const WalDamage& torn) const {
        fs::create_directory(beside());
        for (const auto& entry : fs::directory_iterator(request_.database)) {
            const auto name = entry.path().filename();
            if (entry.path() == torn.file) {
                fs::copy_file(entry.path(), beside() / name);
                fs::resize_file(beside() / name, torn.offset);
            } else if (entry.is_regular_file() && name != "LOCK") {
                fs::create_hard_link(entry.path(), beside() / name);
            }
        }
        try {
            require_length(beside());
        } catch (const StoreOpenError&) {
            fs::remove_all(beside());
            throw;
        }
        fs::remove_all(beside());
    }

    fs::path beside() const {
        auto path = request_.database;
        path += ".judged";
        return path;
    }

    static void cut(const WalDamage& torn) {
        fs::resize_file(torn.file, torn.offset);
        sync_file(torn.file);
        log_warn(
            "unfinished last record of the manifest dropped",
            {{"file", torn.file.string()}, {"offset", torn.offset}, {"bytes", torn.bytes}}
        );
    }

    void require_length(const fs::path& database) const {
        rocksdb::DB* opened = nullptr;
        const auto status = rocksdb::DB::OpenForReadOnly(options_, database.string(), &opened);
        const std::unique_ptr<rocksdb::DB> db(opened);
        require_ok(status);
        require_sequence(db->GetLatestSequenceNumber());
    }

    void require_sequence(std::uint64_t sequence) const {
        const std::uint64_t required =
            std::max(mark_.required(), scan_.next_sequence - (scan_.records > 0 ? 1 : 0));
        if (sequence >= required) {
            return;
        }
        if (!request_.accept_data_loss) {
            refuse_damage(
                request_.database.string() + ": holds writes up to number " +
                std::to_string(sequence) + ", but writes up to number " + std::to_string(required) +
                " were acknowledged; a log was deleted or cut short. " + kHowToAccept
            );
        }
        log_warn(
            "data loss accepted",
            {{"recovered_sequence", sequence}, {"acknowledged_sequence", required}}
        );
    }

    RecoveredDatabase open() const {
        rocksdb::DB* db = nullptr;
        const auto path = request_.database.string();
        auto status = rocksdb::DB::Open(options_, path, &db);
        if (!status.IsNoSpace() || options_.create_if_missing) {
            require_ok(status);
            return {std::unique_ptr<rocksdb::DB>(db), false};
        }
        log_warn("disk full: opened for reading only", {{"cause", status.ToString()}});
        status = rocksdb::DB::OpenForReadOnly(options_, path, &db);
        require_ok(status);
        return {std::unique_ptr<rocksdb::DB>(db), true};
    }

    void require_ok(const rocksdb::Status& status) const {
        if (status.ok()) {
            return;
        }
        const bool damaged =
            status.IsCorruption() || status.IsPathNotFound() || status.IsNotFound();
        const auto message = request_.database.string() + ": " + status.ToString();
        if (damaged) {
            refuse_damage(message + ". The database is damaged; restore a backup");
        }
        throw StoreOpenError(StoreOpenError::kOther, message);
    }

    const RecoveryRequest& request_;
    rocksdb::Options options_;
    HighWaterMark mark_;
    WalScan scan_;
};

}  // namespace

RecoveredDatabase recover_database(const RecoveryRequest& request) {
    try {
        return Recovery(request).run();
    } catch (const fs::filesystem_error& error) {
        throw StoreOpenError(StoreOpenError::kOther, error.what());
    }
}

}  // namespace gateleg::storage::internal

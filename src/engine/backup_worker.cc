#include "engine/backup_worker.h"

#include <exception>
#include <utility>
#include <vector>

#include "base/log.h"
#include "engine/commit_step.h"
#include "engine/index_writer.h"
#include "engine/keyspace.h"

namespace gateleg::engine {
namespace {

// Small pages: each holds up the commit thread for about a millisecond.
constexpr std::size_t kPageItems = 256;
constexpr std::size_t kPageBytes = 1 << 20;

struct Row {
    std::string key;
    std::string value;
};

// The next rows of `range` behind `after`, which is then the last of them.
Result<std::vector<Row>> read_page(
    const storage::Store& store,
    const KeyRange& range,
    std::string& after,
    const storage::Snapshot* snapshot
) {
    std::vector<Row> rows;
    const auto cursor = store.cursor(
        {.snapshot = snapshot,
         .lower_bound = range.begin,
         .upper_bound = range.end,
         .fill_cache = false}
    );
    std::size_t bytes = 0;
    cursor->seek(after.empty() ? range.begin : after + '\0');
    for (; cursor->valid() && rows.size() < kPageItems && bytes < kPageBytes; cursor->next()) {
        rows.push_back({std::string(cursor->key()), std::string(cursor->value())});
        bytes += rows.back().value.size();
    }
    GATELEG_TRY(cursor->status());
    if (!rows.empty()) {
        after = rows.back().key;
    }
    return rows;
}

void erase_rows_of(CommitContext& context, const Table& table) {
    for (const auto& range : {table_items_range(table.id), table_ttl_range(table.id)}) {
        context.batch().erase_range(range.begin, range.end);
    }
    context.reset_counts(table.id, kPrimary);
    for (const auto& index : table.indexes) {
        context.reset_counts(table.id, index.id);
    }
}

void add_items(CommitContext& context, const Table& table, const std::vector<Row>& rows) {
    for (const auto& row : rows) {
        const value::ValueView item(row.value.data());
        const auto key = item_key(table, item);
        write_item(context, {.table = table, .key = key, .before = std::nullopt, .after = item});
    }
    context.note_growth();
}

}  // namespace

void BackupWorker::start() {
    take_up_interrupted();
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void BackupWorker::stop() {
    thread_ = {};
}

void BackupWorker::copy(BackupRecord record, std::shared_ptr<const storage::Snapshot> snapshot) {
    add({.kind = Kind::kCopy, .backup = std::move(record), .snapshot = std::move(snapshot)});
}

void BackupWorker::restore(std::string table_name) {
    add({.kind = Kind::kRestore, .table = std::move(table_name)});
}

void BackupWorker::add(Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void BackupWorker::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
                return;
            }
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        try {
            perform(stop, job);
        } catch (const std::exception& failure) {
            log_error("a backup or restore failed", {{"cause", failure.what()}});
        }
    }
}

void BackupWorker::perform(const std::stop_token& stop, const Job& job) {
    switch (job.kind) {
        case Kind::kCopy:
            make_backup(stop, job);
            break;
        case Kind::kDrop:
            drop_backup(job.backup);
            break;
        case Kind::kRestore:
            fill_table(stop, job.table);
            break;
    }
}

void BackupWorker::take_up_interrupted() {
    const auto backups = all_backups();
    auto cursor = core_.store.cursor({.lower_bound = backups.begin, .upper_bound = backups.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        auto record = decode_backup(cursor->value());
        if (record && !record->available) {
            add({.kind = Kind::kDrop, .backup = *std::move(record)});
        }
    }
    const auto restores = all_restores();
    cursor = core_.store.cursor({.lower_bound = restores.begin, .upper_bound = restores.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        if (const auto record = decode_restore(cursor->value())) {
            restore(record->table.name());
        }
    }
}

void BackupWorker::make_backup(const std::stop_token& stop, const Job& job) {
    const auto& record = job.backup;
    const auto range = index_range(record.table.id, kPrimary);
    std::string after;
    bool more = true;
    while (more && !stop.stop_requested()) {
        auto rows = read_page(core_.store, range, after, job.snapshot.get());
        if (!rows) {
            drop_backup(record);
            return;
        }
        const auto step = run_commit_step(core_, [&](CommitContext& context) -> Result<bool> {
            for (const auto& row : *rows) {
                context.batch().put(
                    backup_item_key(record.data, item_key_suffix(row.key)), row.value
                );
            }
            if (rows->empty()) {
                auto whole = record;
                whole.available = true;
                context.put(backup_key(record.arn), encode_backup(whole));
            }
            context.note_growth();
            return !rows->empty();
        });
        if (!step) {
            log_error(
                "a backup was given up", {{"arn", record.arn}, {"cause", step.error().message}}
            );
            drop_backup(record);
            return;
        }
        more = *step;
    }
}

void BackupWorker::drop_backup(const BackupRecord& record) {
    const auto step = run_commit_step(core_, [&](CommitContext& context) -> Result<bool> {
        const auto range = backup_items_range(record.data);
        context.batch().erase_range(range.begin, range.end);
        context.erase(backup_key(record.arn));
        return false;
    });
    if (!step) {
        log_error("half a backup is left; the next start takes it away", {{"arn", record.arn}});
    }
}

void BackupWorker::fill_table(const std::stop_token& stop, const std::string& name) {
    std::string bytes;
    const auto known = core_.store.get(restore_key(name), bytes);
    if (!known || !*known) {
        return;
    }
    const auto record = decode_restore(bytes);
    if (!record) {
        return;
    }
    std::string backup_bytes;
    const auto found = core_.store.get(backup_key(record->backup_arn), backup_bytes);
    const auto backup = found && *found ? decode_backup(backup_bytes)
                                        : Result<BackupRecord>(resource_not_found("no backup"));
    const auto& table = record->table;
    // What an interrupted restore has left is taken away first.
    auto step = run_commit_step(core_, [&](CommitContext& context) -> Result<bool> {
        erase_rows_of(context, table);
        if (!backup) {
            context.erase(restore_key(name));
        }
        return backup.has_value();
    });
    std::string after;
    while (step && *step && !stop.stop_requested()) {
        auto rows = read_page(core_.store, backup_items_range(backup->data), after, nullptr);
        if (!rows) {
            step = std::move(rows).error();
            break;
        }
        step = run_commit_step(core_, [&](CommitContext& context) -> Result<bool> {
            add_items(context, table, *rows);
            if (rows->empty()) {
                context.erase(restore_key(name));
                context.store_table(std::make_shared<const Table>(table));
            }
            return !rows->empty();
        });
    }
    if (!step) {
        log_error(
            "a restore stopped; the next start begins it again",
            {{"table", name}, {"cause", step.error().message}}
        );
    }
}

}  // namespace gateleg::engine

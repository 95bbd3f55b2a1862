// Copies the items of tables into backups and back into new tables, page by page, on a thread of
// its own; every page is written by the commit thread.
//
// A backup is copied from a snapshot, so it is the table at one moment. A restart ends a backup
// that was under way, and begins a restore anew.

#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "engine/backup_record.h"
#include "engine/core.h"

namespace gateleg::engine {

// Thread-safe.
class BackupWorker {
public:
    // `core` is not used before start().
    explicit BackupWorker(const Core& core) : core_(core) {}
    BackupWorker(const BackupWorker&) = delete;
    BackupWorker& operator=(const BackupWorker&) = delete;

    // Takes up what the last process left: half a backup is worth nothing and goes, a restore
    // begins again. To be called before there are requests.
    void start();
    // Ends after the page at hand; jobs that come later are left.
    void stop();

    void copy(BackupRecord record, std::shared_ptr<const storage::Snapshot> snapshot);
    void restore(std::string table_name);

private:
    enum class Kind { kCopy, kDrop, kRestore };
    struct Job {
        Kind kind = Kind::kCopy;
        BackupRecord backup;                                // to copy or to drop
        std::shared_ptr<const storage::Snapshot> snapshot;  // to copy from
        std::string table;                                  // to restore
    };

    void run(const std::stop_token& stop);
    void take_up_interrupted();
    void add(Job job);
    void perform(const std::stop_token& stop, const Job& job);
    void make_backup(const std::stop_token& stop, const Job& job);
    void fill_table(const std::stop_token& stop, const std::string& name);
    void drop_backup(const BackupRecord& record);

    const Core& core_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Job> jobs_;
    std::jthread thread_;
};

}  // namespace gateleg::engine

// Puts the database in order while the process has nothing to do: what is in memory goes to a
// sorted file, so that the log is short again, and young files are merged and compressed as well as
// possible. Until then, files are compressed with what costs least.

#pragma once

#include <chrono>
#include <cstdint>

#include <rocksdb/db.h>

namespace gateleg::storage::internal {

// For one thread.
class Tidying {
public:
    // To be called once each `tick`; never waits for the work, which RocksDB's threads do.
    void look(rocksdb::DB& db, std::chrono::milliseconds tick);
    // The database has been opened again, with the options it had at first.
    void start_over() { stage_ = Stage::kNone; }

private:
    // New files are packed well; and then the young ones are merged, however few.
    enum class Stage : std::uint8_t { kNone, kPack, kMerge };

    bool is_idle(rocksdb::DB& db, std::chrono::milliseconds tick);
    void enter(rocksdb::DB& db, Stage stage);

    // At the last look.
    std::chrono::steady_clock::time_point looked_{};
    std::chrono::microseconds used_{};
    std::uint64_t sequence_ = 0;
    int idle_looks_ = 0;
    Stage stage_ = Stage::kNone;
};

}  // namespace gateleg::storage::internal

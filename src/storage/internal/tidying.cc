#include "storage/internal/tidying.h"

#include <string>
#include <utility>

#include <rocksdb/metadata.h>
#include <sys/resource.h>

#include "base/log.h"
#include "storage/internal/rocksdb_options.h"

namespace gateleg::storage::internal {
namespace {

// Less than this is not worth a file of its own, nor a merge.
constexpr std::uint64_t kWorthwhileBytes = std::uint64_t{4} << 20;
// Young files are merged with all of the next level: they should be a part of it that counts.
constexpr std::uint64_t kPartThatCounts = 4;

// Each file has its own, made of what it begins with; only that part of it is held in memory.
constexpr const char* kDictionary = "{max_dict_bytes=16384;max_dict_buffer_bytes=4194304;}";
constexpr const char* kNoDictionary = "{max_dict_bytes=0;max_dict_buffer_bytes=0;}";

// A process that uses more than one part in so many of the time is not idle.
constexpr int kBusyPart = 5;
constexpr int kIdleLooks = 2;

std::chrono::microseconds processor_time() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto micros = [](const timeval& time) {
        return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
    };
    return micros(used.ru_utime) + micros(used.ru_stime);
}

std::uint64_t property(rocksdb::DB& db, const std::string& name) {
    std::uint64_t value = 0;
    return db.GetIntProperty(name, &value) ? value : 0;
}

std::uint64_t level_bytes(const rocksdb::ColumnFamilyMetaData& files, std::size_t level) {
    return files.levels.size() > level ? files.levels[level].size : 0;
}

}  // namespace

// Nothing was written, and next to nothing computed. A look that comes late says little: the
// process may have been stopped.
bool Tidying::is_idle(rocksdb::DB& db, std::chrono::milliseconds tick) {
    const auto now = std::chrono::steady_clock::now();
    const auto passed = now - std::exchange(looked_, now);
    const auto used = processor_time();
    const auto used_since = used - std::exchange(used_, used);
    const auto sequence = db.GetLatestSequenceNumber();
    const bool wrote = std::exchange(sequence_, sequence) != sequence;
    const bool idle = !wrote && passed < 2 * tick && kBusyPart * used_since < passed;
    idle_looks_ = idle ? idle_looks_ + 1 : 0;
    if (wrote) {
        enter(db, Stage::kNone);
    }
    return idle_looks_ >= kIdleLooks;
}

void Tidying::look(rocksdb::DB& db, std::chrono::milliseconds tick) {
    const bool idle = is_idle(db, tick);
    if (!idle && stage_ == Stage::kNone) {
        return;
    }
    using Properties = rocksdb::DB::Properties;
    if (property(db, Properties::kNumRunningFlushes) != 0 ||
        property(db, Properties::kNumRunningCompactions) != 0) {
        return;
    }
    rocksdb::ColumnFamilyMetaData files;
    db.GetColumnFamilyMetaData(&files);
    const auto young = level_bytes(files, 0);
    const auto unsorted = property(db, Properties::kCurSizeActiveMemTable);
    switch (stage_) {
        case Stage::kNone:
            if (unsorted >= kWorthwhileBytes ||
                (young >= kWorthwhileBytes && young >= level_bytes(files, 1) / kPartThatCounts)) {
                enter(db, Stage::kPack);
            }
            if (unsorted >= kWorthwhileBytes) {
                rocksdb::FlushOptions flush;
                flush.wait = false;
                // A failure is told to the listener, as that of any flush.
                db.Flush(flush).PermitUncheckedError();
            }
            return;
        case Stage::kPack:
            if (idle) {
                const bool counts = young >= level_bytes(files, 1) / kPartThatCounts;
                enter(db, counts ? Stage::kMerge : Stage::kNone);
            }
            return;
        case Stage::kMerge:
            if (young == 0) {
                enter(db, Stage::kNone);
            }
    }
}

void Tidying::enter(rocksdb::DB& db, Stage stage) {
    if (std::exchange(stage_, stage) == stage) {
        return;
    }
    const bool pack = stage != Stage::kNone;
    const auto young_files = stage == Stage::kMerge ? 1 : kUsualYoungFiles;
    const auto status = db.SetOptions({
        {"level0_file_num_compaction_trigger", std::to_string(young_files)},
        {"compression_per_level", pack ? "kZSTD" : usual_compression()},
        {"compression_opts", pack ? kDictionary : kNoDictionary},
        {"block_based_table_factory", pack ? "{block_size=16384;}" : "{block_size=4096;}"},
    });
    if (!status.ok()) {
        log_warn("the database could not be put in order", {{"reason", status.ToString()}});
    }
}

}  // namespace gateleg::storage::internal

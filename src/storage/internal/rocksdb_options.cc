#include "storage/internal/rocksdb_options.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "base/log.h"
#include "storage/internal/memtable.h"

namespace gateleg::storage::internal {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kLeastShardBytes = 16 * kMegabyte;
constexpr int kMostShardBits = 6;

// Young files are soon written again, and to pack each of them takes longer than to write it as it
// is. In the same order as usual_compression().
const std::vector<rocksdb::CompressionType> kUsualCompression = {
    rocksdb::kNoCompression, rocksdb::kNoCompression, rocksdb::kLZ4Compression};

// Not only for the log's sake: RocksDB's own file logger aborts the process on a full disk in
// builds with assertions, such as Debian's.
class ForwardingLogger final : public rocksdb::Logger {
public:
    ForwardingLogger() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}

    using Logger::Logv;
    void Logv(const char* /*format*/, va_list /*arguments*/) override {}
    void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
        if (level < rocksdb::InfoLogLevel::WARN_LEVEL ||
            level == rocksdb::InfoLogLevel::HEADER_LEVEL) {
            return;
        }
        std::array<char, 1024> line{};
        std::vsnprintf(line.data(), line.size(), format, arguments);
        std::string_view text(line.data());
        text = text.substr(0, text.find_last_not_of('\n') + 1);
        if (level == rocksdb::InfoLogLevel::WARN_LEVEL) {
            log_warn("rocksdb", {{"text", text}});
        } else {
            log_error("rocksdb", {{"text", text}});
        }
    }
    void LogHeader(const char* /*format*/, va_list /*arguments*/) override {}
};

rocksdb::BlockBasedTableOptions table_options(std::shared_ptr<rocksdb::Cache> cache) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = std::move(cache);
    table.cache_index_and_filter_blocks = true;
    table.pin_l0_filter_and_index_blocks_in_cache = true;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.format_version = 5;
    // A get goes straight to its row. Without it, it reads the beginning of each row before, and
    // rows of a kilobyte lie apart.
    table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
    table.block_restart_interval = 1;
    return table;
}

}  // namespace

std::string usual_compression() {
    return "kNoCompression:kNoCompression:kLZ4Compression";
}

int cache_shard_bits(std::size_t cache_bytes) {
    const auto parts = std::max<std::size_t>(cache_bytes / kLeastShardBytes, 1);
    return std::min(static_cast<int>(std::bit_width(parts)) - 1, kMostShardBits);
}

std::shared_ptr<rocksdb::Cache> make_block_cache(std::size_t cache_bytes) {
    return rocksdb::NewLRUCache(cache_bytes, cache_shard_bits(cache_bytes));
}

rocksdb::Options make_rocksdb_options(
    rocksdb::Env* env, std::shared_ptr<rocksdb::Cache> cache, std::shared_ptr<SlabPool> slabs
) {
    rocksdb::Options rocks;
    rocks.env = env;
    rocks.create_if_missing = true;
    rocks.info_log = std::make_shared<ForwardingLogger>();
    rocks.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(std::move(cache))));

    // There is one writer: the engine's commit thread.
    rocks.allow_concurrent_memtable_write = false;
    rocks.memtable_factory = make_memtable_factory(std::move(slabs));
    rocks.write_buffer_size = 64 * kMegabyte;
    rocks.max_write_buffer_number = 4;
    // Whoever looks for a key that is not there, and most are not, is spared the search. 256 KB of
    // bits: between 10 and 40 for each row.
    rocks.memtable_whole_key_filtering = true;
    rocks.memtable_prefix_bloom_size_ratio = 0.004;
    // What a start after a kill replays, at some 6 ms a megabyte.
    rocks.max_total_wal_size = 128 * kMegabyte;
    rocks.level0_file_num_compaction_trigger = kUsualYoungFiles;
    rocks.compression_per_level = kUsualCompression;
    rocks.bytes_per_sync = kMegabyte;
    // The usual 4 MB are on the disk whatever the manifest holds, which is a few KB.
    rocks.manifest_preallocation_size = 64 << 10;
    rocks.max_background_jobs = 2;
    // Merging files can wait for those who wait for an answer; what waits too long slows writes
    // down until it is done.
    env->LowerThreadPoolCPUPriority(rocksdb::Env::LOW, rocksdb::CpuPriority::kLow)
        .PermitUncheckedError();
    // Leaves the larger part of the usual descriptor limits to connections.
    rocks.max_open_files = 1000;
    rocks.skip_stats_update_on_db_open = true;
    rocks.stats_dump_period_sec = 0;
    rocks.stats_persist_period_sec = 0;

    rocks.track_and_verify_wals_in_manifest = true;
    // A recycled log hides where it ends, and the log scanner does not read its records.
    rocks.recycle_log_file_num = 0;
    return rocks;
}

}  // namespace gateleg::storage::internal

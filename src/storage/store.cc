#include "storage/store.h"

#include <utility>

#include <rocksdb/db.h>

#include "storage/internal/cursor_impl.h"
#include "storage/internal/rocksdb_status.h"
#include "storage/internal/store_impl.h"
#include "storage/internal/write_batch_impl.h"

namespace gateleg::storage {

using internal::to_error;
using internal::to_result;
using internal::to_slice;

namespace {

Result<bool> found(const rocksdb::Status& status) {
    if (status.ok()) {
        return true;
    }
    if (status.IsNotFound()) {
        return false;
    }
    return to_error("get", status);
}

Error closed() {
    return service_unavailable("The store is not open");
}

Result<bool> read(
    internal::Database& database,
    const rocksdb::ReadOptions& options,
    std::string_view key,
    std::string& value
) {
    const auto pass = database.gate.enter();
    if (database.db == nullptr) {
        return closed();
    }
    return found(database.db->Get(options, to_slice(key), &value));
}

std::uint64_t int_property(rocksdb::DB& db, const std::string& name) {
    std::uint64_t value = 0;
    return db.GetIntProperty(name, &value) ? value : 0;
}

}  // namespace

std::unique_ptr<Store> Store::open(const StoreOptions& options) {
    return std::unique_ptr<Store>(new Store(std::make_unique<Impl>(options)));
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<bool> Store::get(std::string_view key, std::string& value, const Snapshot* snapshot) const {
    if (snapshot == nullptr) {
        return read(*impl_->database(), impl_->read_options(), key, value);
    }
    const auto& database = *impl_->database();
    const auto pass = snapshot->impl_->pass.again();
    if (database.db == nullptr) {
        return closed();
    }
    rocksdb::ReadOptions options;
    options.snapshot = snapshot->impl_->snapshot;
    return found(database.db->Get(options, to_slice(key), &value));
}

Result<bool> Store::get_and_keep(std::string_view key, std::string& value) const {
    auto& rows = impl_->rows();
    internal::RowCache::Miss miss;
    if (rows.find(key, value, miss)) {
        return true;
    }
    auto options = impl_->read_options();
    options.fill_cache = rows.wants_block();
    auto there = read(*impl_->database(), options, key, value);
    if (there && *there) {
        rows.keep(key, value, miss);
    }
    return there;
}

Result<EarlyRead> Store::get_early(std::string_view key, std::string& value, std::size_t most_bytes)
    const {
    EarlyRead early;
    internal::RowCache::Miss miss;
    early.found = impl_->rows().find(key, value, miss);
    if (!early.found) {
        GATELEG_TRY_ASSIGN(
            early.found, read(*impl_->database(), impl_->read_options(), key, value)
        );
    }
    if (!early.found || value.size() <= most_bytes) {
        early.counts = miss.counts;
    } else {
        std::string().swap(value);
    }
    return early;
}

bool Store::is_newest(std::string_view key, const EarlyRead& early) const {
    return impl_->rows().is_newest(key, early.counts);
}

std::unique_ptr<Cursor> Store::cursor(CursorOptions options) const {
    const Snapshot* snapshot = options.snapshot;
    auto pass =
        snapshot == nullptr ? impl_->database()->gate.enter() : snapshot->impl_->pass.again();
    return std::unique_ptr<Cursor>(new Cursor(std::make_unique<Cursor::Impl>(
        impl_->database(),
        std::move(pass),
        snapshot == nullptr ? nullptr : snapshot->impl_->snapshot,
        std::move(options)
    )));
}

std::shared_ptr<const Snapshot> Store::snapshot() const {
    auto pass = impl_->database()->gate.enter();
    return std::shared_ptr<const Snapshot>(
        new Snapshot(std::make_unique<Snapshot::Impl>(impl_->database(), std::move(pass)))
    );
}

Result<void> Store::write(WriteBatch& batch, WriteClass write_class) {
    return impl_->write(*batch.impl_, write_class);
}

Result<void> Store::flush() {
    return impl_->flush();
}

Result<void> Store::verify_checksums() const {
    const auto pass = impl_->database()->gate.enter();
    const auto& db = impl_->database()->db;
    if (db == nullptr) {
        return closed();
    }
    return to_result("verify checksums", db->VerifyChecksum());
}

bool Store::syncs() const {
    return impl_->syncs();
}

Health Store::health() const {
    return impl_->health();
}

std::string Store::health_reason() const {
    return impl_->health_reason();
}

std::uint64_t Store::last_sequence() const {
    const auto pass = impl_->database()->gate.enter();
    const auto& db = impl_->database()->db;
    return db == nullptr ? 0 : db->GetLatestSequenceNumber();
}

std::uint64_t Store::disk_bytes() const {
    const auto pass = impl_->database()->gate.enter();
    const auto& db = impl_->database()->db;
    if (db == nullptr) {
        return 0;
    }
    // The log holds about what is in memory.
    return int_property(*db, rocksdb::DB::Properties::kTotalSstFilesSize) +
           int_property(*db, rocksdb::DB::Properties::kSizeAllMemTables);
}

StoreFigures Store::figures() const {
    const auto pass = impl_->database()->gate.enter();
    const auto& db = impl_->database()->db;
    if (db == nullptr) {
        return {};
    }
    using Properties = rocksdb::DB::Properties;
    StoreFigures figures;
    figures.memtable_bytes = int_property(*db, Properties::kSizeAllMemTables);
    figures.disk_bytes = int_property(*db, Properties::kTotalSstFilesSize) + figures.memtable_bytes;
    figures.cache_bytes = int_property(*db, Properties::kBlockCacheUsage);
    figures.pending_compaction_bytes =
        int_property(*db, Properties::kEstimatePendingCompactionBytes);
    figures.running_compactions = int_property(*db, Properties::kNumRunningCompactions);
    figures.running_flushes = int_property(*db, Properties::kNumRunningFlushes);
    figures.writes_stopped = int_property(*db, Properties::kIsWriteStopped) != 0;
    return figures;
}

}  // namespace gateleg::storage

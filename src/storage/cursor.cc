#include "storage/cursor.h"

#include "storage/internal/cursor_impl.h"
#include "storage/internal/rocksdb_status.h"

namespace gateleg::storage {

using internal::to_slice;
using internal::to_view;

Snapshot::Snapshot(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Snapshot::~Snapshot() = default;

Cursor::Impl::Impl(
    std::shared_ptr<internal::Database> from,
    internal::ReaderGate::Pass with,
    const rocksdb::Snapshot* snapshot,
    CursorOptions options
)
    : database(std::move(from)),
      pass(std::move(with)),
      lower(std::move(options.lower_bound)),
      upper(std::move(options.upper_bound)),
      lower_slice(lower),
      upper_slice(upper) {
    if (database->db == nullptr) {
        iterator.reset(rocksdb::NewErrorIterator(rocksdb::Status::IOError("database is closed")));
        return;
    }
    rocksdb::ReadOptions read;
    read.snapshot = snapshot;
    read.fill_cache = options.fill_cache;
    read.iterate_lower_bound = lower.empty() ? nullptr : &lower_slice;
    read.iterate_upper_bound = upper.empty() ? nullptr : &upper_slice;
    iterator.reset(database->db->NewIterator(read));
}

Cursor::Cursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cursor::~Cursor() = default;

void Cursor::seek(std::string_view key) {
    impl_->iterator->Seek(to_slice(key));
}

void Cursor::seek_for_prev(std::string_view key) {
    impl_->iterator->SeekForPrev(to_slice(key));
}

void Cursor::seek_to_last_before(std::string_view key) {
    impl_->iterator->SeekForPrev(to_slice(key));
    if (impl_->iterator->Valid() && to_view(impl_->iterator->key()) == key) {
        impl_->iterator->Prev();
    }
}

void Cursor::seek_to_first() {
    impl_->iterator->SeekToFirst();
}

void Cursor::seek_to_last() {
    impl_->iterator->SeekToLast();
}

void Cursor::next() {
    impl_->iterator->Next();
}

void Cursor::prev() {
    impl_->iterator->Prev();
}

std::string_view Cursor::key() const {
    return to_view(impl_->iterator->key());
}

std::string_view Cursor::value() const {
    return to_view(impl_->iterator->value());
}

bool Cursor::valid() const {
    return impl_->iterator->Valid();
}

Result<void> Cursor::status() const {
    return internal::to_result("cursor", impl_->iterator->status());
}

}  // namespace gateleg::storage

#include "storage/write_batch.h"

#include "base/check.h"
#include "storage/internal/rocksdb_status.h"
#include "storage/internal/write_batch_impl.h"

namespace gateleg::storage {

using internal::to_slice;

WriteBatch::WriteBatch() : impl_(std::make_unique<Impl>()) {}
WriteBatch::~WriteBatch() = default;
WriteBatch::WriteBatch(WriteBatch&&) noexcept = default;
WriteBatch& WriteBatch::operator=(WriteBatch&&) noexcept = default;

// Adding to a batch fails only past 4 GB, far above any limit of the engine.
void WriteBatch::put(std::string_view key, std::string_view value) {
    GATELEG_CHECK(impl_->batch.Put(to_slice(key), to_slice(value)).ok());
    impl_->touched.add(key);
}

void WriteBatch::erase(std::string_view key) {
    GATELEG_CHECK(impl_->batch.Delete(to_slice(key)).ok());
    impl_->touched.add(key);
}

void WriteBatch::erase_range(std::string_view begin, std::string_view end) {
    GATELEG_CHECK(impl_->batch.DeleteRange(to_slice(begin), to_slice(end)).ok());
    impl_->touched.add_range();
}

void WriteBatch::clear() {
    impl_->batch.Clear();
    impl_->touched.clear();
}

std::size_t WriteBatch::bytes() const {
    return impl_->batch.GetDataSize();
}

bool WriteBatch::empty() const {
    return impl_->batch.Count() == 0;
}

}  // namespace gateleg::storage

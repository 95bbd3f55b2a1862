#include "storage/internal/slabs.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace gateleg::storage::internal {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// What is larger has a slab of its own, so that not much of one is left over.
constexpr std::size_t kMostTaken = kHugePage / 8;

// So many bytes that begin where a huge page may; null if there is no memory.
char* map_aligned(std::size_t bytes) {
    const auto whole = bytes + kHugePage;
    void* mapped =
        ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    auto* start = static_cast<char*>(mapped);
    const auto before = -reinterpret_cast<std::uintptr_t>(start) % kHugePage;
    if (before != 0) {
        ::munmap(start, before);
    }
    ::munmap(start + before + bytes, kHugePage - before);
    // Where there are none, the pages are of the usual size.
    ::madvise(start + before, bytes, MADV_HUGEPAGE);
    return start + before;
}

}  // namespace

SlabPool::~SlabPool() {
    was_asked_ = false;
    trim();
}

char* SlabPool::take() {
    const std::lock_guard lock(mutex_);
    was_asked_ = true;
    if (slabs_.empty()) {
        return nullptr;
    }
    auto* slab = slabs_.back();
    slabs_.pop_back();
    return slab;
}

bool SlabPool::give(char* slab) {
    const std::lock_guard lock(mutex_);
    if (kMostBytes < (slabs_.size() + 1) * kHugePage) {
        return false;
    }
    slabs_.push_back(slab);
    return true;
}

void SlabPool::trim() {
    std::vector<char*> unused;
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(was_asked_, false)) {
            unused.swap(slabs_);
        }
    }
    for (auto* slab : unused) {
        ::munmap(slab, kHugePage);
    }
}

std::size_t SlabPool::bytes() const {
    const std::lock_guard lock(mutex_);
    return slabs_.size() * kHugePage;
}

Slabs::~Slabs() {
    for (const auto& slab : slabs_) {
        if (slab.is_mapped && pool_ && pool_->give(slab.start)) {
            continue;
        }
        if (slab.is_mapped) {
            ::munmap(slab.start, slab.bytes);
        } else {
            ::operator delete(slab.start, slab.bytes);
        }
    }
}

char* Slabs::take(std::size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes > left_) {
        if (bytes > kMostTaken) {
            return add(bytes);
        }
        const auto wanted = std::max(bytes, next_bytes_);
        at_ = add(wanted);
        left_ = wanted;
        next_bytes_ = std::min(2 * next_bytes_, kHugePage);
    }
    auto* taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return taken;
}

char* Slabs::add(std::size_t bytes) {
    slabs_.reserve(slabs_.size() + 1);
    const bool is_mapped = bytes == kHugePage;
    auto* start = is_mapped ? take_large() : static_cast<char*>(::operator new(bytes));
    if (start == nullptr) {
        throw std::bad_alloc();
    }
    slabs_.push_back({start, bytes, is_mapped});
    return start;
}

char* Slabs::take_large() {
    auto* slab = pool_ ? pool_->take() : nullptr;
    return slab != nullptr ? slab : map_aligned(kHugePage);
}

}  // namespace gateleg::storage::internal

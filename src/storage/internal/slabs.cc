#include "storage/internal/slabs.h"

#include <algorithm>
#include <cstdint>
#include <new>

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

Slabs::~Slabs() {
    for (const auto& slab : slabs_) {
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
    auto* start = is_mapped ? map_aligned(bytes) : static_cast<char*>(::operator new(bytes));
    if (start == nullptr) {
        throw std::bad_alloc();
    }
    slabs_.push_back({start, bytes, is_mapped});
    return start;
}

}  // namespace gateleg::storage::internal

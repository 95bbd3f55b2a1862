// Memory that is taken piece by piece and given back as a whole.
//
// Large slabs lie in huge pages where the system has them: a search that jumps through them then
// meets few addresses that the processor has to look up in page tables, and a page is fetched from
// the kernel once for 2 MB instead of 512 times.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gateleg::storage::internal {

// Slabs of 2 MB that were given back, for those who take some next: to get one from the system
// again means to have it filled with zeros. Thread-safe.
class SlabPool {
public:
    // What is kept at most: as much as one memtable has.
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

    SlabPool() = default;
    ~SlabPool();
    SlabPool(const SlabPool&) = delete;
    SlabPool& operator=(const SlabPool&) = delete;

    // Null if there is none.
    char* take();
    // False, and the slab is still the caller's, if there are enough.
    bool give(char* slab);
    // Gives all back to the system if none was taken since the last call.
    void trim();
    std::size_t bytes() const;

private:
    mutable std::mutex mutex_;
    std::vector<char*> slabs_;
    bool was_asked_ = false;
};

// For one thread that takes; bytes() is for any.
class Slabs {
public:
    static constexpr std::size_t kAlignment = 8;

    explicit Slabs(std::shared_ptr<SlabPool> pool = nullptr) : pool_(std::move(pool)) {}
    ~Slabs();
    Slabs(const Slabs&) = delete;
    Slabs& operator=(const Slabs&) = delete;

    // Throws std::bad_alloc.
    char* take(std::size_t bytes);
    // What was taken. The slabs have up to 2 MB more.
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
    struct Slab {
        char* start;
        std::size_t bytes;
        bool is_mapped;
    };
    char* add(std::size_t bytes);
    char* take_large();

    const std::shared_ptr<SlabPool> pool_;
    std::vector<Slab> slabs_;
    std::size_t next_bytes_ = std::size_t{16} << 10;
    char* at_ = nullptr;
    std::size_t left_ = 0;
    std::atomic<std::size_t> bytes_{0};
};

}  // namespace gateleg::storage::internal

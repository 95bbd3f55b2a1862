#include "storage/internal/row_cache.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "base/hash.h"
#include "storage/internal/rocksdb_status.h"

namespace gateleg::storage::internal {
namespace {

// A write also drops the rows that share a place with its own, and a few of a place can be kept at
// a time, so there are about as many as a cache of usual size holds rows.
constexpr std::size_t kPlaces = std::size_t{1} << 18;
// Longer rows would push out many short ones, and to copy them takes as long as to find them.
constexpr std::size_t kLongestValue = std::size_t{32} * 1024;
constexpr std::size_t kLongestKey = 256;

// What is read often stays soon all the same.
constexpr unsigned kBlocksForOne = 8;
constexpr unsigned kBlocksBetweenLooks = 256;

// Names of blocks in the same cache have 16 bytes, and those of rows never do.
constexpr std::size_t kBlockName = 16;

struct Row {
    RowCounts counts;
    std::string value;
};

class Name {
public:
    explicit Name(std::string_view key) : size_(key.size()) {
        std::copy(key.begin(), key.end(), bytes_.begin());
        bytes_[size_++] = 0;
        if (size_ == kBlockName) {
            bytes_[size_++] = 1;
        }
    }
    rocksdb::Slice slice() const { return {bytes_.data(), size_}; }

private:
    std::array<char, kLongestKey + 2> bytes_;  // NOLINT(*-member-init): filled as far as it is used
    std::size_t size_;
};

std::uint32_t place_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash % kPlaces);
}

// Tells keys of a place from each other, mostly. Never 0.
std::uint16_t mark_of(std::uint64_t hash) {
    return static_cast<std::uint16_t>(hash >> 48 | 1);
}

// Only one write is under way, so nobody else changes it.
void count_up_if(std::atomic<std::uint64_t>& count, bool odd) {
    const auto now = count.load(std::memory_order_relaxed);
    if ((now % 2 != 0) == odd) {
        count.store(now + 1, std::memory_order_release);
    }
}

void delete_row(const rocksdb::Slice& /*name*/, void* row) {
    const std::unique_ptr<Row> owned(static_cast<Row*>(row));
}

}  // namespace

// All that one who finds nothing looks at. Marks are hints: they come and go while others look.
struct RowCache::Place {
    std::atomic<std::uint64_t> count;  // odd while a write is under way
    std::atomic<std::uint16_t> asked;  // the last that was asked for and not kept
    std::array<std::atomic<std::uint16_t>, 3> kept;

    bool may_keep(std::uint16_t mark) const {
        return std::any_of(kept.begin(), kept.end(), [&](const auto& one) {
            return one.load(std::memory_order_relaxed) == mark;
        });
    }
    bool is_asked_again(std::uint16_t mark) {
        if (asked.load(std::memory_order_relaxed) == mark) {
            return true;
        }
        asked.store(mark, std::memory_order_relaxed);
        return false;
    }
    // In the place of one that had it longest, if there is no other.
    void add(std::uint16_t mark) {
        if (!may_keep(mark)) {
            kept[2].store(kept[1].load(std::memory_order_relaxed), std::memory_order_relaxed);
            kept[1].store(kept[0].load(std::memory_order_relaxed), std::memory_order_relaxed);
            kept[0].store(mark, std::memory_order_relaxed);
        }
    }
};

// Zeros that nobody writes to take no memory, so this is not made by a constructor, which would
// write them all.
struct RowCache::Places {
    std::array<Place, kPlaces> of_keys;
    std::atomic<std::uint64_t> ranges;  // the count of a place that all keys share

    RowCounts counts(const Place& place) const {
        return {
            place.count.load(std::memory_order_acquire), ranges.load(std::memory_order_acquire)};
    }
};

void RowCache::Freeing::operator()(Places* places) const {
    std::free(places);  // NOLINT(*-no-malloc)
}

RowCache::RowCache(std::shared_ptr<rocksdb::Cache> cache)
    : cache_(std::move(cache)), places_(static_cast<Places*>(std::calloc(1, sizeof(Places)))) {
    static_assert(std::is_trivially_destructible_v<Places>);
    if (places_ == nullptr) {
        throw std::bad_alloc();
    }
}

bool RowCache::find(std::string_view key, std::string& value, Miss& miss) {
    if (key.size() > kLongestKey) {
        return false;
    }
    const auto hash = hash64(key);
    auto& place = places_->of_keys[place_of(hash)];
    miss.counts = places_->counts(place);
    const auto mark = mark_of(hash);
    if (!place.may_keep(mark)) {
        miss.worth_keeping =
            !miss.counts.being_written() &&
            (!is_full_.load(std::memory_order_relaxed) || place.is_asked_again(mark));
        return false;
    }
    miss.worth_keeping = !miss.counts.being_written();
    auto* const handle = cache_->Lookup(Name(key).slice());
    if (handle == nullptr) {
        return false;
    }
    const auto& row = *static_cast<const Row*>(cache_->Value(handle));
    const bool newest = row.counts == miss.counts;
    if (newest) {
        value.assign(row.value);
    }
    cache_->Release(handle);
    return newest;
}

void RowCache::keep(std::string_view key, std::string_view value, const Miss& miss) {
    if (!miss.worth_keeping || value.size() > kLongestValue) {
        return;
    }
    const auto hash = hash64(key);
    places_->of_keys[place_of(hash)].add(mark_of(hash));
    auto row = std::make_unique<Row>(Row{miss.counts, std::string(value)});
    const auto bytes = sizeof(Row) + row->value.capacity();
    // A full cache deletes it, which is as good.
    cache_->Insert(Name(key).slice(), row.release(), bytes, &delete_row).PermitUncheckedError();
}

bool RowCache::is_newest(std::string_view key, const RowCounts& counts) const {
    return !counts.being_written() &&
           counts == places_->counts(places_->of_keys[place_of(hash64(key))]);
}

bool RowCache::wants_block() {
    thread_local unsigned blocks = 0;
    ++blocks;
    if (blocks % kBlocksBetweenLooks == 0) {
        is_full_.store(
            cache_->GetUsage() >= cache_->GetCapacity() / 8 * 7, std::memory_order_relaxed
        );
    }
    return !is_full_.load(std::memory_order_relaxed) || blocks % kBlocksForOne == 0;
}

void RowCache::Touched::add(std::string_view key) {
    places_.push_back(place_of(hash64(key)));
}

void RowCache::Touched::clear() {
    places_.clear();
    range_ = false;
}

RowCache::Write::Write(RowCache& rows, const Touched& touched) : rows_(rows), touched_(touched) {
    // They lie anywhere: the processor fetches all of them while it waits for the first.
    for (const auto place : touched_.places_) {
        __builtin_prefetch(&rows_.places_->of_keys[place], 1);
    }
    for (const auto place : touched_.places_) {
        count_up_if(rows_.places_->of_keys[place].count, false);
    }
    if (touched_.range_) {
        count_up_if(rows_.places_->ranges, false);
    }
}

RowCache::Write::~Write() {
    for (const auto place : touched_.places_) {
        count_up_if(rows_.places_->of_keys[place].count, true);
    }
    if (touched_.range_) {
        count_up_if(rows_.places_->ranges, true);
    }
}

void RowCache::forget_all() {
    count_up_if(places_->ranges, false);
    count_up_if(places_->ranges, true);
}

}  // namespace gateleg::storage::internal

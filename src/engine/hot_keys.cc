#include "engine/hot_keys.h"

#include <algorithm>
#include <unordered_map>

#include "engine/keyspace.h"

namespace gateleg::engine {
namespace {

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// One partition on one thread. Empty while nobody called it.
struct Place {
    std::uint64_t partition = 0;
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    std::uint32_t spare = 0;
    std::string key;  // keeps its memory when the place is given to another

    std::uint32_t calls() const { return reads + writes; }
    std::uint32_t most() const { return calls() + spare; }
};

struct Window {
    std::array<Place, HotKeys::kSets * HotKeys::kWays> places;
    std::uint64_t calls = 0;

    void clear() {
        for (auto& place : places) {
            place.partition = 0;
            place.reads = place.writes = place.spare = 0;
        }
        calls = 0;
    }

    Place& place_of(std::uint64_t partition, std::string_view key) {
        auto* set = &places[(partition & (HotKeys::kSets - 1)) * HotKeys::kWays];
        auto* least = set;
        for (auto* place = set; place != set + HotKeys::kWays; ++place) {
            if (place->partition == partition) {
                return *place;
            }
            if (place->most() < least->most()) {
                least = place;
            }
        }
        // Whoever comes in may have been called as often before, and was thrown out since.
        least->spare = least->most();
        least->reads = least->writes = 0;
        least->partition = partition;
        least->key.assign(key);
        return *least;
    }
};

}  // namespace

struct HotKeys::Shard {
    // Held by its own thread while it counts, and by a report: neither waits for the other long.
    std::atomic<bool> taken{false};
    std::uint32_t window = 0;
    Window now;
    Window before;
};

HotKeys::HotKeys(Time now) : id_(next_id()), began_(now), before_began_(now) {}
HotKeys::~HotKeys() = default;

HotKeys::Shard& HotKeys::own_shard() {
    struct Own {
        std::uint64_t owner = 0;
        Shard* shard = nullptr;
    };
    thread_local Own own;
    if (own.owner != id_) {
        const std::lock_guard lock(mutex_);
        auto& shard = shards_[std::this_thread::get_id()];
        if (shard == nullptr) {
            shard = std::make_unique<Shard>();
        }
        own = {id_, shard.get()};
    }
    return *own.shard;
}

void HotKeys::count(std::string_view key, Access access) {
    auto& shard = own_shard();
    if (shard.taken.exchange(true, std::memory_order_acquire)) {
        return;
    }
    if (const auto window = window_.load(std::memory_order_relaxed); shard.window != window) {
        if (shard.window + 1 == window) {
            std::swap(shard.now, shard.before);
        } else {
            shard.before.clear();
        }
        shard.now.clear();
        shard.window = window;
    }
    auto& place = shard.now.place_of(partition_number(key), key);
    ++(access == Access::kRead ? place.reads : place.writes);
    ++shard.now.calls;
    shard.taken.store(false, std::memory_order_release);
}

void HotKeys::turn(Time now) {
    const std::lock_guard lock(mutex_);
    if (now - began_ < kWindow) {
        return;
    }
    before_began_ = began_;
    began_ = now;
    window_.fetch_add(1, std::memory_order_relaxed);
}

HotKeys::Report HotKeys::report(Time now) const {
    Report report;
    std::unordered_map<std::uint64_t, Seen> all;
    const auto add = [&](const Window& counted) {
        report.calls += counted.calls;
        for (const auto& place : counted.places) {
            if (place.calls() == 0) {
                continue;
            }
            auto& seen = all[place.partition];
            if (seen.key.empty()) {
                seen.key = place.key;
            }
            seen.reads += place.reads;
            seen.writes += place.writes;
            seen.spare += place.spare;
        }
    };
    const std::lock_guard lock(mutex_);
    const auto window = window_.load(std::memory_order_relaxed);
    for (const auto& [thread, shard] : shards_) {
        while (shard->taken.exchange(true, std::memory_order_acquire)) {
            std::this_thread::yield();
        }
        if (shard->window == window) {
            add(shard->now);
            add(shard->before);
        } else if (shard->window + 1 == window) {
            add(shard->now);  // its thread has not counted since the window turned
        }
        shard->taken.store(false, std::memory_order_release);
    }
    for (auto& [partition, seen] : all) {
        report.seen.push_back(std::move(seen));
    }
    std::sort(report.seen.begin(), report.seen.end(), [](const Seen& a, const Seen& b) {
        return a.calls() != b.calls() ? a.calls() > b.calls() : a.key < b.key;
    });
    report.covered = std::chrono::duration_cast<std::chrono::milliseconds>(now - before_began_);
    return report;
}

}  // namespace gateleg::engine

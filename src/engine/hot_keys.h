// Counts which partitions are called most, in little memory: docs/adr/0033.
//
// Each thread counts for itself in a table of few places. A partition that finds none takes that of
// the one called least, and remembers how often that was (Space-Saving): what is called often is
// never missed, and by how much a count may be too low is known.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace gateleg::engine {

enum class Access : std::uint8_t { kRead, kWrite };

// Thread-safe. Threads that counted may end before it. count() neither waits nor fails: what is
// called while a report is made may be left out.
class HotKeys {
public:
    using Time = std::chrono::steady_clock::time_point;
    // Reports are about one to two of these.
    static constexpr std::chrono::seconds kWindow{30};
    static constexpr std::size_t kSets = 64;  // a power of two
    static constexpr std::size_t kWays = 4;   // places of a set

    explicit HotKeys(Time now = std::chrono::steady_clock::now());
    ~HotKeys();
    HotKeys(const HotKeys&) = delete;
    HotKeys& operator=(const HotKeys&) = delete;

    // `key` lies in the partition: that of an item, of an index entry, or where a Query begins.
    void count(std::string_view key, Access access);

    // Begins another window, when the last one is over. One thread at a time.
    void turn(Time now);

    struct Seen {
        std::string key;  // one of those that were counted
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
        std::uint64_t spare = 0;
        std::uint64_t calls() const { return reads + writes; }
    };
    struct Report {
        std::vector<Seen> seen;  // the most called first
        std::uint64_t calls = 0;
        std::chrono::milliseconds covered{0};
    };
    Report report(Time now) const;

private:
    struct Shard;

    Shard& own_shard();

    const std::uint64_t id_;
    std::atomic<std::uint32_t> window_{1};
    mutable std::mutex mutex_;  // shards_ and the times
    std::map<std::thread::id, std::unique_ptr<Shard>> shards_;
    Time began_;         // of the window
    Time before_began_;  // of the one before it
};

}  // namespace gateleg::engine

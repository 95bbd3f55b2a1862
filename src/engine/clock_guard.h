// Whether the wall clock may be believed when something is deleted by it.
//
// A clock that is set far ahead makes everything look old at once: items with a time to live,
// records of streams, idempotency tokens. So the wall clock is compared with the time the machine
// has been up. When it runs ahead of that by more than a quarter of an hour, nothing is deleted by
// it until it has kept its new time for an hour, or the operator says that it is right.
// docs/adr/0029-clocks-and-queues.md.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg::engine {

// A clock that nobody can set.
struct Uptime {
    std::function<std::int64_t()> millis;
    // Names the start from which it counts; empty if that is not known.
    std::string boot;

    static Uptime of_this_machine();  // goes on while the machine sleeps
};

// A moment by both clocks, at which the wall clock was believed. Written to disk.
struct ClockAnchor {
    std::int64_t wall_millis = 0;
    std::int64_t up_millis = 0;
    std::string boot;
};
std::string encode_anchor(const ClockAnchor& anchor);
std::optional<ClockAnchor> decode_anchor(std::string_view bytes);

// Looked through by one thread; is_trusted() is for all.
class ClockGuard {
public:
    // `last` is the anchor of an earlier process; without it the clock is believed as it is.
    ClockGuard(Uptime uptime, std::optional<ClockAnchor> last);

    // Compares the clocks. False: delete nothing by this time.
    bool look(std::int64_t wall_millis);
    bool is_trusted() const { return trusted_.load(std::memory_order_relaxed); }
    // The latest moment at which the clock was believed; for a later process.
    const ClockAnchor& anchor() const { return anchor_; }

private:
    // A time that differs from the one expected, and since when the clock has kept to it.
    struct Doubt {
        std::int64_t offset = 0;
        std::int64_t since_up = 0;
    };

    void start_from(const ClockAnchor& last, std::int64_t wall_millis, std::int64_t up_millis);
    bool decide(std::int64_t wall_millis);

    Uptime uptime_;
    std::optional<ClockAnchor> last_;  // until the first look
    bool started_ = false;
    ClockAnchor anchor_;
    std::optional<Doubt> doubt_;
    std::atomic<bool> trusted_{true};
};

}  // namespace gateleg::engine

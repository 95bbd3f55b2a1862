// How long work is watched and ended from outside, and how fast it may go.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

namespace gateleg::transfer {

struct Progress {
    std::int64_t items = 0;  // so far, those of earlier runs included
    std::int64_t total = 0;  // about; 0: not known
    double read_units = 0;   // of this run
    double write_units = 0;
};

// Both may be empty.
struct Control {
    // Asked often, by any thread. True: end at the next place from which work can go on.
    std::function<bool()> stopped = {};
    // After each page or group; one thread at a time.
    std::function<void(const Progress&)> progress = {};

    bool is_stopped() const { return stopped && stopped(); }
};

// So many units a second, none in advance. Thread-safe.
class Budget {
public:
    // 0: without a bound; what is spent is counted all the same.
    explicit Budget(double per_second) : per_second_(per_second) {}
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    bool bounded() const { return per_second_ > 0; }
    double per_second() const { return per_second_; }
    // Waits until everything that was taken before is paid for, or until it is stopped.
    void take(double expected, const Control& control);
    // What it took in truth.
    void settle(double expected, double actual);
    double spent() const;

private:
    using Steady = std::chrono::steady_clock;
    void owe(double units);

    const double per_second_;
    mutable std::mutex mutex_;
    Steady::time_point free_at_{};
    double spent_ = 0;
};

}  // namespace gateleg::transfer

// The last quarter of an hour, a point each second: what the console's charts show.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "metrics/recorder.h"

namespace gateleg::metrics {

// A value as it is now; `counter` if it only grows.
struct Gauge {
    std::string_view name;  // "gateleg_storage_disk_bytes"
    std::string_view help;
    std::string_view short_name;  // "diskBytes", in the console's points; empty: not there
    double value = 0;
    bool counter = false;
};

struct OperationPoint {
    std::string_view operation;
    std::uint64_t count = 0;
    std::uint64_t errors = 0;
    std::uint64_t p50 = 0;  // microseconds
    std::uint64_t p99 = 0;
};

struct Point {
    std::int64_t at_millis = 0;
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;
    std::uint64_t faults = 0;
    std::uint64_t p50 = 0;
    std::uint64_t p95 = 0;
    std::uint64_t p99 = 0;
    std::vector<OperationPoint> operations = {};
    std::vector<Gauge> gauges = {};
};

inline constexpr std::int64_t kHistoryStepMillis = 1'000;
inline constexpr std::size_t kHistoryPoints = 900;

// Thread-safe. Recorder and clock outlive it, and what `gauges` uses too.
class History {
public:
    History(
        const Recorder& recorder, const Clock& clock, std::function<std::vector<Gauge>()> gauges
    );
    ~History();

    // Takes a point each second from here on.
    void start();
    void stop();
    // What start()'s thread does each second.
    void take_point();

    // Oldest first, those after `since_millis`.
    std::vector<Point> points(std::int64_t since_millis) const;
    std::vector<Gauge> gauges() const { return gauges_(); }

private:
    const Recorder& recorder_;
    const Clock& clock_;
    std::function<std::vector<Gauge>()> gauges_;
    TotalsByOperation before_;  // take_point()'s
    mutable std::mutex mutex_;
    std::deque<Point> points_;
    std::condition_variable_any woken_;
    std::jthread thread_;
};

// Resident memory, processor seconds, open files and start of this process.
void append_process_gauges(std::vector<Gauge>& gauges);

}  // namespace gateleg::metrics

#include "metrics/history.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

namespace gateleg::metrics {
namespace {

// What was added between two looks.
Totals difference(const Totals& now, const Totals* before) {
    auto added = now;
    if (before == nullptr) {
        return added;
    }
    for (auto& [status, count] : added.by_status) {
        const auto found = before->by_status.find(status);
        count -= found == before->by_status.end() ? 0 : found->second;
    }
    for (std::size_t i = 0; i < kBuckets; ++i) {
        added.buckets[i] -= before->buckets[i];
    }
    return added;
}

double resident_bytes() {
    long pages = 0;
    if (auto* file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%*s %ld", &pages) != 1) {
            pages = 0;
        }
        std::fclose(file);
    }
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double open_files() {
    double count = 0;
    if (auto* folder = ::opendir("/proc/self/fd")) {
        while (::readdir(folder) != nullptr) {
            ++count;
        }
        ::closedir(folder);
    }
    constexpr double kDotsAndItself = 3;
    return count - kDotsAndItself;
}

// Seconds since the epoch; the same for every call.
double start_seconds() {
    static const double started = static_cast<double>(std::time(nullptr));
    return started;
}

}  // namespace

void append_process_gauges(std::vector<Gauge>& gauges) {
    gauges.push_back(
        {"process_resident_memory_bytes",
         "Resident memory of the server",
         "rss",
         resident_bytes(),
         false}
    );
    gauges.push_back(
        {"process_cpu_seconds_total",
         "Processor time the server has used",
         "cpuSeconds",
         processor_seconds(),
         true}
    );
    gauges.push_back({"process_open_fds", "Open file descriptors", "", open_files(), false});
    gauges.push_back(
        {"process_start_time_seconds",
         "When the server began, in seconds since the epoch",
         "",
         start_seconds(),
         false}
    );
}

History::History(
    const Recorder& recorder, const Clock& clock, std::function<std::vector<Gauge>()> gauges
)
    : recorder_(recorder), clock_(clock), gauges_(std::move(gauges)) {
    start_seconds();
}

History::~History() {
    stop();
}

void History::start() {
    thread_ = std::jthread([this](const std::stop_token& stop) {
        std::mutex sleeping;
        std::unique_lock lock(sleeping);
        while (!stop.stop_requested()) {
            take_point();
            woken_.wait_for(lock, stop, std::chrono::milliseconds(kHistoryStepMillis), [] {
                return false;
            });
        }
    });
}

void History::stop() {
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
    }
}

void History::take_point() {
    auto totals = recorder_.totals();
    Point point{.at_millis = clock_.now_millis()};
    Buckets all{};
    for (const auto& [name, now] : totals) {
        const auto found = before_.find(name);
        const auto added = difference(now, found == before_.end() ? nullptr : &found->second);
        const auto count = added.count();
        if (count == 0) {
            continue;
        }
        point.requests += count;
        point.errors += added.errors();
        point.faults += added.faults();
        for (std::size_t i = 0; i < kBuckets; ++i) {
            all[i] += added.buckets[i];
        }
        point.operations.push_back(
            {name.operation,
             count,
             added.errors(),
             percentile(added.buckets, 0.5),
             percentile(added.buckets, 0.99)}
        );
    }
    point.p50 = percentile(all, 0.5);
    point.p95 = percentile(all, 0.95);
    point.p99 = percentile(all, 0.99);
    point.gauges = gauges_();
    before_ = std::move(totals);
    const std::lock_guard lock(mutex_);
    points_.push_back(std::move(point));
    while (points_.size() > kHistoryPoints) {
        points_.pop_front();
    }
}

std::vector<Point> History::points(std::int64_t since_millis) const {
    std::vector<Point> found;
    const std::lock_guard lock(mutex_);
    for (const auto& point : points_) {
        if (point.at_millis > since_millis) {
            found.push_back(point);
        }
    }
    return found;
}

}  // namespace gateleg::metrics

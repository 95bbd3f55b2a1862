// What a thread has had of the processors, as the system counts it.

#pragma once

#include <atomic>
#include <chrono>

namespace gateleg::http {

// Thread-safe.
class ThreadTimes {
public:
    struct Sum {
        std::chrono::nanoseconds ran{0};
        std::chrono::nanoseconds waited{0};  // ready, while others had the processors
    };

    ThreadTimes() = default;
    ~ThreadTimes();
    ThreadTimes(const ThreadTimes&) = delete;
    ThreadTimes& operator=(const ThreadTimes&) = delete;

    // On the thread that is meant, once.
    void open();
    // Zeros before that, and where the system does not count.
    Sum read() const;

private:
    std::atomic<int> file_{-1};
};

}  // namespace gateleg::http

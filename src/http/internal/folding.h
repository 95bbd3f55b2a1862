// How many of a server's I/O threads should have requests.
//
// One for each processor is right while the processors are theirs. Where clients run on the same
// ones, threads that are ready wait for each other's time slices, and so do the connections of
// theirs, though the thread that runs could have served them meanwhile. So while threads wait it is
// tried now and then whether fewer of them answer as much, and while those are busy whether more of
// them answer more.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "http/internal/thread_times.h"

namespace gateleg::http {

struct ServerState;

// Decides it from what was seen. One thread at a time.
class Folding {
public:
    // What happened in a short time, of all threads.
    struct Window {
        std::chrono::nanoseconds length{0};
        ThreadTimes::Sum threads;
        std::uint64_t requests = 0;
    };

    explicit Folding(std::size_t threads) : all_(threads), open_(threads) {}

    // How many should have requests now.
    std::size_t open() const { return open_; }
    void note(const Window& window);
    // For so long nothing much happened, with which what comes could be compared.
    void interrupt(std::chrono::nanoseconds gap);

private:
    // What one number of threads did: sums over windows of what each had in a second.
    struct Sample {
        void add(const Window& window);
        void halve();
        double rate() const { return rates / windows; }
        // Of the rate, as a part of it, by how much windows differ.
        double error() const;

        double windows = 0;
        double rates = 0;
        double squares = 0;  // of rates
        double ran = 0;
        double waited = 0;
    };
    void consider_trial();
    void begin_trial(std::size_t open);
    void judge_trial();
    void settle(std::size_t open, int windows);
    void expect_others();

    const std::size_t all_;
    std::size_t open_;
    int settling_ = 0;  // so many windows are not looked at
    Sample now_;
    bool trying_ = false;
    std::size_t open_before_ = 0;  // of the trial
    Sample before_;
    double usual_ = 0;  // the rate that the last trial ended with, 0 if nothing can be said
    // Since the last trial, and how long it shall be until the next.
    std::chrono::nanoseconds since_ = std::chrono::hours(1);
    std::chrono::nanoseconds pause_{0};
};

// Sees to it for the loops of a server. On the thread of the first one.
class FoldingWatch {
public:
    explicit FoldingWatch(ServerState& state);

    void note_request() {
        if (++requests_ % kRequestsALook == 0) {
            look();
        }
    }

private:
    static constexpr std::uint64_t kRequestsALook = 64;
    void look();

    ServerState& state_;
    Folding folding_;
    std::uint64_t requests_ = 0;
    std::chrono::steady_clock::time_point looked_;
    Folding::Window seen_;  // sums since the start
};

}  // namespace gateleg::http

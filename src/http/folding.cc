#include "http/internal/folding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "http/internal/io_loop.h"

namespace gateleg::http {
namespace {

constexpr std::chrono::milliseconds kWindow{20};
// A window that took so much longer saw next to no requests, or a stopped process.
constexpr std::chrono::milliseconds kLongestWindow{100};
// Connections move with their next request; a load that begins has to get going.
constexpr int kMovingWindows = 1;
constexpr int kStartingWindows = 10;
// What is compared took at least so long. What has happened longer ago counts half.
constexpr int kShortSample = 3;
constexpr int kLongSample = 12;

// Between two trials; twice as much after each that changed nothing. What changed something is soon
// tried the other way: the load may have grown by itself meanwhile.
constexpr std::chrono::nanoseconds kConfirmingPause = std::chrono::milliseconds(250);
constexpr std::chrono::nanoseconds kFirstPause = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::seconds(16);

// Threads wait if it is more than this part of the time; those that run for more are busy.
constexpr double kWaiting = 0.1;
constexpr double kBusy = 0.5;
// More threads are worth it if they answer so much more, since fewer answer more evenly.
constexpr double kWorthwhile = 1.08;
// Requests that come this much faster or slower are others than those that were compared.
constexpr double kOtherLoad = 1.3;
// A difference of so many standard errors is no chance.
constexpr double kSure = 2;

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

void Folding::Sample::add(const Window& window) {
    const double length = seconds(window.length);
    const double rate = static_cast<double>(window.requests) / length;
    ++windows;
    rates += rate;
    squares += rate * rate;
    ran += seconds(window.threads.ran) / length;
    waited += seconds(window.threads.waited) / length;
}

void Folding::Sample::halve() {
    for (double* sum : {&windows, &rates, &squares, &ran, &waited}) {
        *sum /= 2;
    }
}

double Folding::Sample::error() const {
    const double mean = rate();
    const double variance = std::max(squares / windows - mean * mean, 0.0);
    return std::sqrt(variance / (windows - 1)) / mean;
}

void Folding::settle(std::size_t open, int windows) {
    open_ = open;
    settling_ = windows;
    now_ = {};
}

void Folding::begin_trial(std::size_t open) {
    trying_ = true;
    open_before_ = open_;
    before_ = now_;
    settle(open, kMovingWindows);
}

void Folding::judge_trial() {
    const double faster = now_.rate() / before_.rate();
    const double gain = open_ < open_before_ ? 1 / faster : faster;
    const double error = std::hypot(now_.error(), before_.error());
    const bool sure = std::abs(std::log(gain / kWorthwhile)) >= kSure * error;
    if (!sure && now_.windows < kLongSample) {
        return;
    }
    trying_ = false;
    const auto better =
        gain >= kWorthwhile ? std::max(open_, open_before_) : std::min(open_, open_before_);
    const auto best = sure ? better : open_before_;
    const bool changed = best == open_;
    usual_ = changed ? now_.rate() : before_.rate();
    if (changed) {
        pause_ = since_ >= kFirstPause ? kConfirmingPause : kFirstPause;
    } else {
        pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
    }
    since_ = {};
    settle(best, kMovingWindows);
}

void Folding::interrupt(std::chrono::nanoseconds gap) {
    since_ += gap;
    expect_others();
    settle(std::exchange(trying_, false) ? open_before_ : open_, kStartingWindows);
}

// Requests are likely to be others than those that trials compared.
void Folding::expect_others() {
    usual_ = 0;
    pause_ = std::min(pause_, kFirstPause);
    now_ = {};
}

void Folding::note(const Window& window) {
    since_ += window.length;
    if (settling_ > 0) {
        --settling_;
        return;
    }
    now_.add(window);
    if (now_.windows < kShortSample) {
        return;
    }
    if (trying_) {
        judge_trial();
    } else if (usual_ != 0 && std::abs(std::log(now_.rate() / usual_)) > std::log(kOtherLoad) + kSure * now_.error()) {
        expect_others();
    } else if (since_ >= pause_) {
        consider_trial();
    }
    if (now_.windows >= kLongSample) {
        now_.halve();
    }
}

void Folding::consider_trial() {
    const double ran = now_.ran / now_.windows;
    const double waited = now_.waited / now_.windows;
    if (open_ > 1 && waited > kWaiting * static_cast<double>(open_)) {
        const auto needed = static_cast<std::size_t>(std::max(std::ceil(ran - kWaiting), 1.0));
        begin_trial(std::min(needed, open_ - 1));
    } else if (open_ < all_ && ran > kBusy * static_cast<double>(open_)) {
        begin_trial(std::min(2 * open_, all_));
    }
}

FoldingWatch::FoldingWatch(ServerState& state)
    : state_(state), folding_(state.loops.size()), looked_(std::chrono::steady_clock::now()) {}

void FoldingWatch::look() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < kWindow) {
        return;
    }
    Folding::Window sum;
    for (const auto& loop : state_.loops) {
        const auto times = loop->thread_times();
        sum.threads.ran += times.ran;
        sum.threads.waited += times.waited;
        sum.requests += loop->requests();
    }
    sum.length = now - std::exchange(looked_, now);
    const auto before = std::exchange(seen_, sum);
    const auto open_before = folding_.open();
    if (sum.length > kLongestWindow) {
        folding_.interrupt(sum.length);
    } else {
        folding_.note({
            sum.length,
            {sum.threads.ran - before.threads.ran, sum.threads.waited - before.threads.waited},
            sum.requests - before.requests,
        });
    }
    if (folding_.open() != open_before) {
        state_.open_loops.store(folding_.open(), std::memory_order_relaxed);
    }
}

}  // namespace gateleg::http

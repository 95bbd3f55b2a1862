#include "transfer/control.h"

#include <algorithm>
#include <thread>

namespace gateleg::transfer {

void Budget::owe(double units) {
    spent_ += units;
    if (bounded()) {
        free_at_ += std::chrono::duration_cast<Steady::duration>(
            std::chrono::duration<double>(units / per_second_)
        );
    }
}

void Budget::take(double expected, const Control& control) {
    constexpr std::chrono::milliseconds kSlice{50};
    Steady::time_point mine;
    {
        const std::lock_guard lock(mutex_);
        free_at_ = std::max(free_at_, Steady::now());
        mine = free_at_;
        owe(expected);
    }
    while (bounded() && Steady::now() < mine && !control.is_stopped()) {
        std::this_thread::sleep_until(std::min(mine, Steady::now() + kSlice));
    }
}

void Budget::settle(double expected, double actual) {
    const std::lock_guard lock(mutex_);
    owe(actual - expected);
}

double Budget::spent() const {
    const std::lock_guard lock(mutex_);
    return spent_;
}

}  // namespace gateleg::transfer

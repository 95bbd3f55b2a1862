// Time as a value that tests can hold still.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gateleg {

// Seconds and milliseconds since the epoch, UTC. Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual std::int64_t now_millis() const = 0;
    std::int64_t now_seconds() const { return now_millis() / 1000; }
};

class SystemClock final : public Clock {
public:
    std::int64_t now_millis() const override {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::system_clock::now().time_since_epoch()
        )
            .count();
    }
};

// The clock behind --test-clock: real until it is frozen or moved.
class SettableClock final : public Clock {
public:
    std::int64_t now_millis() const override {
        const auto frozen = frozen_millis_.load();
        return frozen == kNotFrozen ? system_.now_millis() : frozen;
    }
    void freeze_at(std::int64_t millis) { frozen_millis_.store(millis); }
    void advance(std::int64_t millis) { frozen_millis_.store(now_millis() + millis); }
    void release() { frozen_millis_.store(kNotFrozen); }

private:
    static constexpr std::int64_t kNotFrozen = INT64_MIN;
    SystemClock system_;
    std::atomic<std::int64_t> frozen_millis_{kNotFrozen};
};

}  // namespace gateleg

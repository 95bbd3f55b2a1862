#include "engine/clock_guard.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "base/log.h"

namespace gateleg::engine {
namespace {

constexpr std::int64_t kMinute = 60 * 1000;
// Corrections up to this are what time servers do.
constexpr std::int64_t kSmallStep = 15 * kMinute;
constexpr std::int64_t kStableFor = 60 * kMinute;
// Nobody measures how long a machine was off; one that was off for longer has to wait.
constexpr std::int64_t kMostOff = std::int64_t{7} * 24 * 60 * kMinute;
constexpr std::size_t kNumbersBytes = 2 * sizeof(std::int64_t);

}  // namespace

Uptime Uptime::of_this_machine() {
    Uptime uptime;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> uptime.boot;
    uptime.millis = [] {
        timespec now{};
        ::clock_gettime(CLOCK_BOOTTIME, &now);
        return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    };
    return uptime;
}

std::string encode_anchor(const ClockAnchor& anchor) {
    std::string bytes(kNumbersBytes, '\0');
    std::memcpy(bytes.data(), &anchor.wall_millis, sizeof anchor.wall_millis);
    std::memcpy(
        bytes.data() + sizeof anchor.wall_millis, &anchor.up_millis, sizeof anchor.up_millis
    );
    return bytes + anchor.boot;
}

std::optional<ClockAnchor> decode_anchor(std::string_view bytes) {
    if (bytes.size() < kNumbersBytes) {
        return std::nullopt;
    }
    ClockAnchor anchor;
    std::memcpy(&anchor.wall_millis, bytes.data(), sizeof anchor.wall_millis);
    std::memcpy(
        &anchor.up_millis, bytes.data() + sizeof anchor.wall_millis, sizeof anchor.up_millis
    );
    anchor.boot = bytes.substr(kNumbersBytes);
    return anchor;
}

ClockGuard::ClockGuard(Uptime uptime, std::optional<ClockAnchor> last)
    : uptime_(std::move(uptime)), last_(std::move(last)) {}

bool ClockGuard::look(std::int64_t wall_millis) {
    const bool trusted = decide(wall_millis);
    trusted_.store(trusted, std::memory_order_relaxed);
    return trusted;
}

void ClockGuard::start_from(
    const ClockAnchor& last, std::int64_t wall_millis, std::int64_t up_millis
) {
    anchor_ = {.wall_millis = last.wall_millis, .up_millis = up_millis, .boot = uptime_.boot};
    if (!last.boot.empty() && last.boot == uptime_.boot) {
        anchor_.up_millis = last.up_millis;
    } else if (wall_millis > last.wall_millis && wall_millis - last.wall_millis <= kMostOff) {
        anchor_.wall_millis = wall_millis;
    }
}

bool ClockGuard::decide(std::int64_t wall_millis) {
    const auto up = uptime_.millis();
    if (!std::exchange(started_, true)) {
        start_from(last_.value_or(ClockAnchor{wall_millis, up, uptime_.boot}), wall_millis, up);
    }
    const auto ahead = wall_millis - (anchor_.wall_millis + (up - anchor_.up_millis));
    if (std::abs(ahead) > kSmallStep) {
        const auto offset = wall_millis - up;
        if (!doubt_ || std::abs(offset - doubt_->offset) > kSmallStep) {
            doubt_ = {offset, up};
            if (ahead > 0) {
                log_warn(
                    "the clock is ahead of the time that has passed; nothing expires until it has "
                    "stayed so for an hour, or the server is started with --trust-clock",
                    {{"seconds", ahead / 1000}}
                );
            }
        }
        if (up - doubt_->since_up < kStableFor) {
            return ahead < 0;  // deletions by a clock that is behind are late, not wrong
        }
        log_info("the clock has kept its time for an hour and is believed again");
    }
    doubt_.reset();
    anchor_.wall_millis = wall_millis;
    anchor_.up_millis = up;
    return true;
}

}  // namespace gateleg::engine

// How often one address may try something that costs us or others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace gateleg::systems {

// Token buckets by (what, address), in memory: a restart forgives. Thread-safe.
class RateLimiter {
public:
    explicit RateLimiter(const Clock& clock) : clock_(clock) {}

    struct Limit {
        std::string_view what;
        double burst = 100;
        double per_second = 1;
    };
    // False if there were too many; otherwise it counts.
    bool allow(const Limit& limit, std::string_view address);

private:
    struct Bucket {
        double tokens = 0;
        std::int64_t at_millis = 0;
    };
    void make_room(std::int64_t now);

    const Clock& clock_;
    std::mutex mutex_;
    std::map<std::string, Bucket> buckets_;
};

}  // namespace gateleg::systems

#include "systems/accounts/rate_limiter.h"

#include <algorithm>

namespace gateleg::systems {
namespace {

constexpr std::size_t kMaxBuckets = 20'000;
constexpr std::int64_t kIdleMillis = std::int64_t{10} * 60 * 1000;

}  // namespace

bool RateLimiter::allow(const Limit& limit, std::string_view address) {
    const auto now = clock_.now_millis();
    const std::lock_guard lock(mutex_);
    make_room(now);
    const auto name = std::string(limit.what) + " " + std::string(address);
    auto& bucket = buckets_.try_emplace(name, Bucket{limit.burst, now}).first->second;
    const auto passed = static_cast<double>(std::max<std::int64_t>(now - bucket.at_millis, 0));
    bucket.tokens = std::min(limit.burst, bucket.tokens + passed / 1000 * limit.per_second);
    bucket.at_millis = now;
    if (bucket.tokens < 1) {
        return false;
    }
    bucket.tokens -= 1;
    return true;
}

// The idle go first; when all are busy, everybody starts anew rather than anybody waiting.
void RateLimiter::make_room(std::int64_t now) {
    if (buckets_.size() < kMaxBuckets) {
        return;
    }
    std::erase_if(buckets_, [&](const auto& entry) {
        return now - entry.second.at_millis > kIdleMillis;
    });
    if (buckets_.size() >= kMaxBuckets) {
        buckets_.clear();
    }
}

}  // namespace gateleg::systems

#include "metrics/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gateleg::metrics {
namespace {

// For each power of two the first bucket that a time of so many bits can be in.
constexpr auto kFirstOfBits = [] {
    std::array<std::uint8_t, 33> first{};
    for (std::size_t bits = 0; bits < first.size(); ++bits) {
        const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
        std::uint8_t bucket = 0;
        while (bucket < kBounds.size() && kBounds[bucket] < least) {
            ++bucket;
        }
        first[bits] = bucket;
    }
    return first;
}();

}  // namespace

std::size_t bucket_of(std::uint64_t micros) {
    const auto bits = static_cast<std::size_t>(std::bit_width(micros));
    if (bits >= kFirstOfBits.size()) {
        return kBounds.size();
    }
    std::size_t bucket = kFirstOfBits[bits];
    while (bucket < kBounds.size() && kBounds[bucket] < micros) {
        ++bucket;
    }
    return bucket;
}

std::uint64_t percentile(const Buckets& buckets, double quantile) {
    std::uint64_t all = 0;
    for (const auto count : buckets) {
        all += count;
    }
    if (all == 0) {
        return 0;
    }
    const auto rank = std::max(1.0, quantile * static_cast<double>(all));
    double before = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const auto count = static_cast<double>(buckets[i]);
        if (count > 0 && before + count >= rank) {
            const double low = i == 0 ? 0 : kBounds[i - 1];
            const double high = i < kBounds.size() ? kBounds[i] : kBounds.back();
            return static_cast<std::uint64_t>(
                std::lround(low + (high - low) * (rank - before) / count)
            );
        }
        before += count;
    }
    return kBounds.back();
}

}  // namespace gateleg::metrics

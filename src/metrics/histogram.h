// How long requests took, as counts between fixed bounds: fine enough for percentiles, and made so
// that Prometheus' bounds are among them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gateleg::metrics {

// Upper bounds in microseconds, inclusive; what took longer than the last is counted behind it.
inline constexpr std::array<std::uint32_t, 44> kBounds = {
    10,         15,         20,         30,         50,         70,         100,        150,
    200,        300,        500,        700,        1'000,      1'500,      2'000,      3'000,
    5'000,      7'000,      10'000,     15'000,     20'000,     30'000,     50'000,     70'000,
    100'000,    150'000,    200'000,    300'000,    500'000,    700'000,    1'000'000,  1'500'000,
    2'000'000,  3'000'000,  5'000'000,  7'000'000,  10'000'000, 15'000'000, 20'000'000, 30'000'000,
    40'000'000, 50'000'000, 60'000'000, 120'000'000};
inline constexpr std::size_t kBuckets = kBounds.size() + 1;

using Buckets = std::array<std::uint64_t, kBuckets>;

std::size_t bucket_of(std::uint64_t micros);

// The time within which the share `quantile` (0 to 1) of the requests was done, between the bounds
// of its bucket in proportion; 0 if there are none.
std::uint64_t percentile(const Buckets& buckets, double quantile);

}  // namespace gateleg::metrics

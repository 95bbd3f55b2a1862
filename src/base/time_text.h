// Times and durations as text: RFC 3339 in UTC, and the part of ISO 8601 durations with fixed
// length.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg {

// "2025-03-01T00:00:00Z", with or without a fraction or an offset such as +02:00. Milliseconds
// since the epoch.
std::optional<std::int64_t> parse_rfc3339_millis(std::string_view text);

// The years 0 to 9999: a text of a time has room for four digits.
inline constexpr std::int64_t kFirstEpochMillis = -62'167'219'200'000;
inline constexpr std::int64_t kLastEpochMillis = 253'402'300'799'999;

// Milliseconds since the epoch, of a count of units; nothing outside of those years.
std::optional<std::int64_t> find_epoch_millis(std::int64_t count, std::int64_t unit_millis);

// "2025-03-01T00:00:00.000Z".
std::string render_rfc3339(std::int64_t millis);

// "PT1H30M", "P7D", "PT0.5S", "-PT1M", "P2W". Years and months have no fixed length and are
// refused.
std::optional<std::int64_t> parse_iso_duration_millis(std::string_view text);

}  // namespace gateleg

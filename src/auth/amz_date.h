// Times in the form that SigV4 signs: 20150830T123600Z.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg::auth {

// Seconds since the epoch, or nothing if `text` is not a real time in exactly this form.
std::optional<std::int64_t> parse_amz_date(std::string_view text);

// `seconds` lies in the years 0 to 9999.
std::string render_amz_date(std::int64_t seconds);

}  // namespace gateleg::auth

// The functions of the expression language that take values: all but match and role.

#pragma once

#include <string_view>
#include <vector>

#include "model/evaluate.h"

namespace gateleg::model {

Result<Value> call_function(
    std::string_view name, const std::vector<Value>& arguments, const Environment& environment
);

// ASCII letters become small; other characters stay.
std::string lower(std::string_view text);
// Without blanks at the ends, and one space for each run of blanks.
std::string squeeze(std::string_view text);
std::string trim(std::string_view text);
// The same day of the month n months later, or the month's last day.
std::int64_t add_months(std::int64_t millis, std::int64_t months);

}  // namespace gateleg::model

#include "auth/amz_date.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace gateleg::auth {
namespace {

constexpr std::string_view kPattern = "00000000T000000Z";

bool has_pattern(std::string_view text) {
    if (text.size() != kPattern.size()) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (kPattern[i] == '0' ? !digit : text[i] != kPattern[i]) {
            return false;
        }
    }
    return true;
}

int number_at(std::string_view text, std::size_t start, std::size_t length) {
    int number = 0;
    for (const char c : text.substr(start, length)) {
        number = number * 10 + (c - '0');
    }
    return number;
}

}  // namespace

std::optional<std::int64_t> parse_amz_date(std::string_view text) {
    if (!has_pattern(text)) {
        return std::nullopt;
    }
    const std::chrono::year_month_day day(
        std::chrono::year(number_at(text, 0, 4)),
        std::chrono::month(static_cast<unsigned>(number_at(text, 4, 2))),
        std::chrono::day(static_cast<unsigned>(number_at(text, 6, 2)))
    );
    const int hour = number_at(text, 9, 2);
    const int minute = number_at(text, 11, 2);
    const int second = number_at(text, 13, 2);
    if (!day.ok() || hour > 23 || minute > 59 || second > 59) {
        return std::nullopt;
    }
    const auto days = std::chrono::sys_days(day).time_since_epoch().count();
    return std::int64_t{days} * 86400 + hour * 3600 + minute * 60 + second;
}

std::string render_amz_date(std::int64_t seconds) {
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    const auto midnight = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day day(midnight);
    const std::chrono::hh_mm_ss clock(time - midnight);
    std::array<char, 48> text{};
    const int length = std::snprintf(
        text.data(),
        text.size(),
        "%04d%02u%02uT%02d%02d%02dZ",
        static_cast<int>(day.year()),
        static_cast<unsigned>(day.month()),
        static_cast<unsigned>(day.day()),
        static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count())
    );
    return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace gateleg::auth

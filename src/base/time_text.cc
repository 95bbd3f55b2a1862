#include "base/time_text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

namespace gateleg {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Takes exactly `digits` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
    if (text.size() < digits) {
        return std::nullopt;
    }
    int number = 0;
    const auto* end = text.data() + digits;
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || text[0] == '-') {
        return std::nullopt;
    }
    text.remove_prefix(digits);
    return number;
}

bool take(std::string_view& text, char wanted) {
    if (text.empty() || text.front() != wanted) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

// ".123456" as milliseconds; absent is 0.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
    if (!take(text, '.')) {
        return 0;
    }
    std::int64_t millis = 0;
    std::int64_t weight = 100;
    std::size_t count = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++count) {
        millis += weight * (text.front() - '0');
        weight /= 10;
        text.remove_prefix(1);
    }
    return count == 0 ? std::nullopt : std::optional(millis);
}

// "Z" or "+02:00", to be taken away from the local time.
std::optional<std::int64_t> take_offset(std::string_view& text) {
    if (take(text, 'Z') || take(text, 'z')) {
        return 0;
    }
    const bool east = take(text, '+');
    if (!east && !take(text, '-')) {
        return std::nullopt;
    }
    const auto hours = take_digits(text, 2);
    if (!hours || !take(text, ':')) {
        return std::nullopt;
    }
    const auto minutes = take_digits(text, 2);
    if (!minutes || *hours > 23 || *minutes > 59) {
        return std::nullopt;
    }
    return (east ? 1 : -1) * (*hours * kHour + *minutes * kMinute);
}

// At least `width` digits of a number that is not negative.
void append_digits(std::string& out, std::int64_t number, std::size_t width) {
    std::array<char, 20> digits{};
    auto* at = digits.data() + digits.size();
    for (std::size_t count = 0; count < width || number > 0; ++count) {
        *--at = static_cast<char>('0' + number % 10);
        number /= 10;
    }
    out.append(at, digits.data() + digits.size());
}

std::int64_t unit_millis(char unit, bool in_time) {
    switch (unit) {
        case 'W':
            return in_time ? 0 : 7 * kDay;
        case 'D':
            return in_time ? 0 : kDay;
        case 'H':
            return in_time ? kHour : 0;
        case 'M':
            return in_time ? kMinute : 0;
        case 'S':
            return in_time ? kSecond : 0;
        default:
            return 0;
    }
}

}  // namespace

std::optional<std::int64_t> parse_rfc3339_millis(std::string_view text) {
    namespace chrono = std::chrono;
    const auto year = take_digits(text, 4);
    if (!year || !take(text, '-')) {
        return std::nullopt;
    }
    const auto month = take_digits(text, 2);
    if (!month || !take(text, '-')) {
        return std::nullopt;
    }
    const auto day = take_digits(text, 2);
    if (!day || !(take(text, 'T') || take(text, 't') || take(text, ' '))) {
        return std::nullopt;
    }
    const auto hour = take_digits(text, 2);
    if (!hour || !take(text, ':')) {
        return std::nullopt;
    }
    const auto minute = take_digits(text, 2);
    if (!minute || !take(text, ':')) {
        return std::nullopt;
    }
    const auto second = take_digits(text, 2);
    const auto fraction = take_fraction(text);
    const auto offset = take_offset(text);
    const chrono::year_month_day date(
        chrono::year(*year),
        chrono::month(static_cast<unsigned>(*month)),
        chrono::day(static_cast<unsigned>(*day))
    );
    if (!second || !fraction || !offset || !text.empty() || !date.ok() || *hour > 23 ||
        *minute > 59 || *second > 59) {
        return std::nullopt;
    }
    const auto days = chrono::sys_days(date).time_since_epoch().count();
    return days * kDay + *hour * kHour + *minute * kMinute + *second * kSecond + *fraction -
           *offset;
}

std::optional<std::int64_t> find_epoch_millis(std::int64_t count, std::int64_t unit_millis) {
    if (count < kFirstEpochMillis / unit_millis || count > kLastEpochMillis / unit_millis) {
        return std::nullopt;
    }
    return count * unit_millis;
}

std::string render_rfc3339(std::int64_t millis) {
    namespace chrono = std::chrono;
    const auto days = chrono::floor<chrono::days>(chrono::milliseconds(millis));
    const chrono::year_month_day date{chrono::sys_days(days)};
    const auto rest = millis - days.count() * kDay;
    const int year = static_cast<int>(date.year());
    std::string text(year < 0 ? "-" : "");
    append_digits(text, std::abs(year), year < 0 ? 3 : 4);
    text.push_back('-');
    append_digits(text, static_cast<unsigned>(date.month()), 2);
    text.push_back('-');
    append_digits(text, static_cast<unsigned>(date.day()), 2);
    text.push_back('T');
    append_digits(text, rest / kHour, 2);
    text.push_back(':');
    append_digits(text, rest % kHour / kMinute, 2);
    text.push_back(':');
    append_digits(text, rest % kMinute / kSecond, 2);
    text.push_back('.');
    append_digits(text, rest % kSecond, 3);
    text.push_back('Z');
    return text;
}

std::optional<std::int64_t> parse_iso_duration_millis(std::string_view text) {
    const bool negative = take(text, '-');
    if (!take(text, 'P') || text.empty()) {
        return std::nullopt;
    }
    std::int64_t total = 0;
    bool in_time = false;
    bool any = false;
    while (!text.empty()) {
        if (!in_time && take(text, 'T')) {
            in_time = true;
            any = false;
            continue;
        }
        std::int64_t number = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
        if (parsed.ec != std::errc() || number < 0 || number > 1'000'000'000) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
        const bool has_fraction = !text.empty() && text.front() == '.';
        const auto fraction = take_fraction(text);
        const auto unit = text.empty() ? 0 : unit_millis(text.front(), in_time);
        if (!fraction || unit == 0 || (has_fraction && unit != kSecond)) {
            return std::nullopt;
        }
        text.remove_prefix(1);
        total += number * unit + *fraction;
        any = true;
    }
    if (!any) {
        return std::nullopt;
    }
    return negative ? -total : total;
}

}  // namespace gateleg

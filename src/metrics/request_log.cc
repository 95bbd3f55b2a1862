#include "metrics/request_log.h"

#include <algorithm>

namespace gateleg::metrics {
namespace {

bool is_lower_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

bool all_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

RequestLog::RequestLog(std::size_t capacity)
    : capacity_(capacity), places_(std::make_unique<Place[]>(capacity)) {}

void RequestLog::add(const RequestEntry& entry) {
    const auto number = next_.fetch_add(1, std::memory_order_relaxed);
    auto& place = places_[number % capacity_];
    if (place.taken.exchange(true, std::memory_order_acquire)) {
        return;
    }
    place.number = number;
    place.entry = entry;
    place.taken.store(false, std::memory_order_release);
}

std::vector<RequestEntry> RequestLog::list(
    std::size_t limit, const std::function<bool(const RequestEntry&)>& wanted
) const {
    std::vector<std::pair<std::uint64_t, RequestEntry>> found;
    for (std::size_t i = 0; i < capacity_; ++i) {
        auto& place = places_[i];
        if (place.taken.exchange(true, std::memory_order_acquire)) {
            continue;
        }
        if (place.number != 0 && wanted(place.entry)) {
            found.emplace_back(place.number, place.entry);
        }
        place.taken.store(false, std::memory_order_release);
    }
    std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
        return left.first > right.first;
    });
    std::vector<RequestEntry> entries;
    for (std::size_t i = 0; i < std::min(limit, found.size()); ++i) {
        entries.push_back(found[i].second);
    }
    return entries;
}

bool is_traceparent(std::string_view text) {
    constexpr std::size_t kLength = 55;
    if (text.size() != kLength || text[2] != '-' || text[35] != '-' || text[52] != '-') {
        return false;
    }
    const auto version = text.substr(0, 2);
    const auto trace = text.substr(3, 32);
    const auto parent = text.substr(36, 16);
    return is_lower_hex(version) && version != "ff" && is_lower_hex(trace) && !all_zero(trace) &&
           is_lower_hex(parent) && !all_zero(parent) && is_lower_hex(text.substr(53));
}

}  // namespace gateleg::metrics

#include "model/item_layout.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace gateleg::model {
namespace {

std::uint64_t next_version() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

template <class Word>
bool same_word(const char* left, const char* right) {
    Word a = 0;
    Word b = 0;
    std::memcpy(&a, left, sizeof a);
    std::memcpy(&b, right, sizeof b);
    return a == b;
}

// Names are short, and a call of memcmp for each costs more than it compares.
bool same_name(std::string_view left, std::string_view right) {
    const auto size = left.size();
    if (size != right.size()) {
        return false;
    }
    const auto* a = left.data();
    const auto* b = right.data();
    if (size < 4) {
        return std::equal(a, a + size, b);
    }
    if (size < 8) {
        const auto last = size - 4;
        return same_word<std::uint32_t>(a, b) && same_word<std::uint32_t>(a + last, b + last);
    }
    for (std::size_t at = 0; at + 8 < size; at += 8) {
        if (!same_word<std::uint64_t>(a + at, b + at)) {
            return false;
        }
    }
    return same_word<std::uint64_t>(a + size - 8, b + size - 8);
}

}  // namespace

// Also finds the values; they are right if the names are.
bool ItemLayout::has_names(const Shape& shape, value::ValueView item) {
    const auto entries = item.entries();
    if (entries.size() != shape.names.size() || shape.version == 0) {
        return false;
    }
    values_.resize(entries.size());
    std::size_t place = 0;
    for (const auto& [name, value] : entries) {
        if (!same_name(name, shape.names[place])) {
            return false;
        }
        values_[place++] = value.bytes().data();
    }
    return true;
}

void ItemLayout::read(value::ValueView item) {
    item_ = item.bytes().data();
    if (has_names(*shape_, item)) {
        return;
    }
    for (auto& shape : shapes_) {
        if (&shape != shape_ && has_names(shape, item)) {
            shape_ = &shape;
            return;
        }
    }
    take_names(item);
}

void ItemLayout::take_names(value::ValueView item) {
    shape_ = &shapes_[oldest_];
    oldest_ = (oldest_ + 1) % shapes_.size();
    shape_->version = 0;  // until all names are there: memory may run out
    shape_->names.clear();
    values_.clear();
    for (const auto& [name, value] : item.entries()) {
        shape_->names.emplace_back(name);
        values_.push_back(value.bytes().data());
    }
    shape_->version = next_version();
}

std::size_t ItemLayout::find(std::string_view name) const {
    const auto& all = names();
    const auto found = std::lower_bound(all.begin(), all.end(), name);
    return found != all.end() && *found == name ? static_cast<std::size_t>(found - all.begin())
                                                : kNone;
}

}  // namespace gateleg::model

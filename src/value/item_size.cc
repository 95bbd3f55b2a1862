#include "value/item_size.h"

#include <string_view>

namespace gateleg::value {
namespace {

constexpr std::size_t kContainerOverhead = 3;
constexpr std::size_t kElementOverhead = 1;

std::string_view without_leading_zeros(std::string_view digits) {
    const auto first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}

// Half a byte per digit of the whole part and of the fraction, each rounded up, plus one, plus one
// for a sign; zeros at either end of the number are free. Real DynamoDB was measured to do this at
// the 400 KB limit (dynoxide pull request 195); its manual says only "approximately".
std::size_t number_size(std::string_view text) {
    std::size_t size = 1;
    if (text.front() == '-') {
        text.remove_prefix(1);
        ++size;
    }
    const auto point = text.find('.');
    auto whole = without_leading_zeros(text.substr(0, point));
    std::string_view fraction;
    if (point == std::string_view::npos) {
        whole = whole.substr(0, whole.find_last_not_of('0') + 1);
    } else {
        fraction = text.substr(point + 1);
        if (whole.empty()) {
            fraction = without_leading_zeros(fraction);
        }
    }
    return size + (whole.size() + 1) / 2 + (fraction.size() + 1) / 2;
}

std::size_t set_size(ValueView set) {
    std::size_t size = 0;
    for (const auto member : set.members()) {
        size += set.type() == Type::kNumberSet ? number_size(member) : member.size();
    }
    return size;
}

}  // namespace

std::size_t item_size(ValueView map) {
    std::size_t size = 0;
    for (const auto& [name, value] : map.entries()) {
        size += name.size() + value_size(value);
    }
    return size;
}

std::size_t value_size(ValueView value) {
    switch (value.type()) {
        case Type::kString:
        case Type::kBinary:
            return value.text().size();
        case Type::kNumber:
            return number_size(value.text());
        case Type::kBool:
        case Type::kNull:
            return 1;
        case Type::kList: {
            std::size_t size = kContainerOverhead;
            for (const auto element : value.elements()) {
                size += kElementOverhead + value_size(element);
            }
            return size;
        }
        case Type::kMap:
            return kContainerOverhead + kElementOverhead * value.count() + item_size(value);
        case Type::kStringSet:
        case Type::kNumberSet:
        case Type::kBinarySet:
            return set_size(value);
    }
    return 0;
}

}  // namespace gateleg::value

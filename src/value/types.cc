#include "value/types.h"

#include <array>

namespace gateleg::value {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "", "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"};

}  // namespace

std::string_view type_name(Type type) {
    return kNames[static_cast<std::size_t>(type)];
}

std::optional<Type> find_type(std::string_view name) {
    for (std::size_t i = 1; i < kNames.size(); ++i) {
        if (kNames[i] == name) {
            return static_cast<Type>(i);
        }
    }
    return std::nullopt;
}

}  // namespace gateleg::value

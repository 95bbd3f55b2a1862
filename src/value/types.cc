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

// Every value of every request passes here, hence no search.
std::optional<Type> find_type(std::string_view name) {
    if (name.size() == 1) {
        switch (name[0]) {
            case 'S':
                return Type::kString;
            case 'N':
                return Type::kNumber;
            case 'B':
                return Type::kBinary;
            case 'L':
                return Type::kList;
            case 'M':
                return Type::kMap;
            default:
                return std::nullopt;
        }
    }
    if (name.size() == 2 && name[1] == 'S') {
        switch (name[0]) {
            case 'S':
                return Type::kStringSet;
            case 'N':
                return Type::kNumberSet;
            case 'B':
                return Type::kBinarySet;
            default:
                return std::nullopt;
        }
    }
    return name == "BOOL"   ? std::optional(Type::kBool)
           : name == "NULL" ? std::optional(Type::kNull)
                            : std::nullopt;
}

}  // namespace gateleg::value

// The ten types of a DynamoDB attribute.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateleg::value {

// Written to disk as the low bits of a value's tag: append only, never renumber.
enum class Type : std::uint8_t {
    kString = 1,
    kNumber = 2,
    kBinary = 3,
    kBool = 4,
    kNull = 5,
    kList = 6,
    kMap = 7,
    kStringSet = 8,
    kNumberSet = 9,
    kBinarySet = 10,
};

// "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS".
std::string_view type_name(Type type);
std::optional<Type> find_type(std::string_view name);

constexpr bool is_set(Type type) {
    return type == Type::kStringSet || type == Type::kNumberSet || type == Type::kBinarySet;
}

// The type of a set's members.
constexpr Type member_type(Type set) {
    return set == Type::kStringSet   ? Type::kString
           : set == Type::kNumberSet ? Type::kNumber
                                     : Type::kBinary;
}

}  // namespace gateleg::value

// How DynamoDB orders two values.

#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "value/number.h"
#include "value/types.h"
#include "value/value_view.h"

namespace gateleg::expr {

constexpr bool is_ordered(value::Type type) {
    return type == value::Type::kString || type == value::Type::kNumber ||
           type == value::Type::kBinary;
}

// Of two texts of S, N or B: by bytes, or by value for N.
inline std::strong_ordering order_texts(
    value::Type type, std::string_view left, std::string_view right
) {
    return type == value::Type::kNumber ? value::compare_number_texts(left, right) : left <=> right;
}

// None when the types differ or have no order.
inline std::optional<std::strong_ordering> find_order(
    value::ValueView left, value::ValueView right
) {
    if (left.type() != right.type() || !is_ordered(left.type())) {
        return std::nullopt;
    }
    return order_texts(left.type(), left.text(), right.text());
}

}  // namespace gateleg::expr

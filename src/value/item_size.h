// DynamoDB's size arithmetic: what counts towards the 400 KB of an item and towards capacity units.

#pragma once

#include <cstddef>

#include "value/value_view.h"

namespace gateleg::value {

inline constexpr std::size_t kMaxItemSize = 400 * 1024;

// No value counts for more than so many times the bytes that it takes: a null in a list is one byte
// and counts as two.
inline constexpr std::size_t kMostSizeOfByte = 2;

// The names and values of an item.
std::size_t item_size(ValueView map);
std::size_t value_size(ValueView value);

}  // namespace gateleg::value

// DynamoDB's limits, with its own figures.

#pragma once

#include <cstddef>

namespace gateleg::engine {

inline constexpr std::size_t kMaxItemBytes = 400 * 1024;
inline constexpr std::size_t kMaxPageBytes = 1024 * 1024;
inline constexpr std::size_t kMaxBatchGetBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kMaxTransactionBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kMaxHashKeyBytes = 2048;
inline constexpr std::size_t kMaxRangeKeyBytes = 1024;
inline constexpr std::size_t kMaxGlobalIndexes = 20;
inline constexpr std::size_t kMaxLocalIndexes = 5;
inline constexpr std::size_t kMaxProjectedAttributes = 100;
inline constexpr std::size_t kMaxTables = 2500;
inline constexpr std::size_t kMaxTags = 50;
inline constexpr int kTokenLifetimeSeconds = 600;

}  // namespace gateleg::engine

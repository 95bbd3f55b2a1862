// Integers as RocksDB and our own small files store them.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gateleg::storage::internal {

static_assert(std::endian::native == std::endian::little, "these copy bytes as they are");

inline void append_u32(std::string& out, std::uint32_t value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void append_u64(std::string& out, std::uint64_t value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
// The caller has checked the size.
inline std::uint32_t read_u32(std::string_view bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}
inline std::uint64_t read_u64(std::string_view bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

}  // namespace gateleg::storage::internal

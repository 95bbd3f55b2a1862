// CRC-32C (Castagnoli), the checksum of RocksDB's log and of our own small files.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gateleg::storage::internal {

// `crc` is that of the bytes before these, or 0.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc = 0);

// That of two texts, one behind the other, from the checksums of both.
std::uint32_t crc32c_of_both(std::uint32_t first, std::uint32_t second, std::size_t second_bytes);

}  // namespace gateleg::storage::internal

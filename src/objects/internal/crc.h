// Reflected CRCs of up to 64 bits that start and end with all bits inverted: CRC-32, CRC-32C and
// CRC-64/NVME. They continue over pieces, and two of them join without their bytes.

#pragma once

#include <cstdint>
#include <string_view>

namespace gateleg::objects::internal {

struct CrcKind {
    std::uint64_t polynomial;  // reflected
    int width;                 // in bits
};
inline constexpr CrcKind kCrc32 = {0xEDB88320, 32};
inline constexpr CrcKind kCrc32c = {0x82F63B78, 32};
inline constexpr CrcKind kCrc64Nvme = {0x9A6C9329AC4BC9B5, 64};

// The CRC of what `crc` is of, followed by `bytes`; 0 is the CRC of nothing.
std::uint64_t continue_crc32(std::uint64_t crc, std::string_view bytes);
std::uint64_t continue_crc32c(std::uint64_t crc, std::string_view bytes);
std::uint64_t continue_crc64nvme(std::uint64_t crc, std::string_view bytes);

// The CRC of A followed by B, where `second` is of B, which has `second_size` bytes.
std::uint64_t join_crcs(
    CrcKind kind, std::uint64_t first, std::uint64_t second, std::uint64_t second_size
);

}  // namespace gateleg::objects::internal

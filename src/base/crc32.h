// CRC-32 with zlib's polynomial: the value of the x-amz-crc32 response header.

#pragma once

#include <cstdint>
#include <string_view>

namespace gateleg {

std::uint32_t crc32(std::string_view bytes);

}  // namespace gateleg

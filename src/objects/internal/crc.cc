#include "objects/internal/crc.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace gateleg::objects::internal {

namespace {

constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint64_t, 256>, kSlices>;

// tables[n][b] is the effect of byte b with n zero bytes after it.
constexpr Tables make_tables(std::uint64_t polynomial) {
    Tables tables{};
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
        auto crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1) != 0 ? (crc >> 1) ^ polynomial : crc >> 1;
        }
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const auto crc = tables[slice - 1][byte];
            tables[slice][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
        }
    }
    return tables;
}

constexpr Tables kCrc32Tables = make_tables(kCrc32.polynomial);
constexpr Tables kCrc32cTables = make_tables(kCrc32c.polynomial);
constexpr Tables kCrc64NvmeTables = make_tables(kCrc64Nvme.polynomial);

constexpr std::uint64_t ones(int width) {
    return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::uint64_t load_little_endian(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        word = __builtin_bswap64(word);
    }
    return word;
}

std::uint64_t run(const Tables& tables, int width, std::uint64_t crc, std::string_view bytes) {
    crc ^= ones(width);
    while (bytes.size() >= kSlices) {
        const auto word = crc ^ load_little_endian(bytes.data());
        crc = 0;
        for (std::size_t i = 0; i < kSlices; ++i) {
            crc ^= tables[kSlices - 1 - i][(word >> (8 * i)) & 0xFF];
        }
        bytes.remove_prefix(kSlices);
    }
    for (const char c : bytes) {
        crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<unsigned char>(c)) & 0xFF];
    }
    return crc ^ ones(width);
}

// a * b modulo the polynomial, where the highest bit stands for x^0. `a` is not zero.
std::uint64_t multiply(CrcKind kind, std::uint64_t a, std::uint64_t b) {
    auto bit = std::uint64_t{1} << (kind.width - 1);
    std::uint64_t product = 0;
    for (;;) {
        if ((a & bit) != 0) {
            product ^= b;
            if ((a & (bit - 1)) == 0) {
                return product;
            }
        }
        bit >>= 1;
        b = (b & 1) != 0 ? (b >> 1) ^ kind.polynomial : b >> 1;
    }
}

}  // namespace

std::uint64_t continue_crc32(std::uint64_t crc, std::string_view bytes) {
    return run(kCrc32Tables, kCrc32.width, crc, bytes);
}

std::uint64_t continue_crc32c(std::uint64_t crc, std::string_view bytes) {
    return run(kCrc32cTables, kCrc32c.width, crc, bytes);
}

std::uint64_t continue_crc64nvme(std::uint64_t crc, std::string_view bytes) {
    return run(kCrc64NvmeTables, kCrc64Nvme.width, crc, bytes);
}

std::uint64_t join_crcs(
    CrcKind kind, std::uint64_t first, std::uint64_t second, std::uint64_t second_size
) {
    // The first CRC moves on by x^(8 * size): squares of x^8, as the bits of the size say.
    auto square = std::uint64_t{1} << (kind.width - 1 - 8);
    auto shift = std::uint64_t{1} << (kind.width - 1);
    for (auto size = second_size; size != 0; size >>= 1) {
        if ((size & 1) != 0) {
            shift = multiply(kind, square, shift);
        }
        square = multiply(kind, square, square);
    }
    return multiply(kind, shift, first) ^ second;
}

}  // namespace gateleg::objects::internal

#include "storage/internal/crc32c.h"

#include <array>
#include <cstring>

namespace gateleg::storage::internal {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
        }
        table[byte] = crc;
    }
    return table;
}
constexpr auto kTable = make_table();

std::uint32_t update_by_table(std::uint32_t crc, std::string_view bytes) {
    for (const char c : bytes) {
        crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ (crc >> 8);
    }
    return crc;
}

// Polynomials modulo that of the checksum; the highest bit is the coefficient of 1.
constexpr std::uint32_t kOne = 0x80000000U;

constexpr std::uint32_t multiply(std::uint32_t left, std::uint32_t right) {
    std::uint32_t product = 0;
    for (; left != 0; left <<= 1) {
        product ^= (left & kOne) != 0 ? right : 0U;
        right = (right >> 1) ^ ((right & 1) != 0 ? 0x82F63B78U : 0U);
    }
    return product;
}

// The factors that so many zero bytes are: `step` to the power of 0, 1, 2 and so on.
constexpr std::array<std::uint32_t, 256> make_powers(std::uint32_t step) {
    std::array<std::uint32_t, 256> powers{kOne};
    for (std::size_t i = 1; i < powers.size(); ++i) {
        powers[i] = multiply(powers[i - 1], step);
    }
    return powers;
}
constexpr auto kBytes = make_powers(kOne >> 8);
constexpr auto kPages = make_powers(multiply(kBytes[255], kBytes[1]));
constexpr auto kBooks = multiply(kPages[255], kPages[1]);

#if defined(__x86_64__)
// Ten times the table's speed; a start after a kill checks the whole log with it.
__attribute__((target("sse4.2"))) std::uint32_t update_by_instruction(
    std::uint32_t crc, std::string_view bytes
) {
    std::uint64_t state = crc;
    while (bytes.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        state = __builtin_ia32_crc32di(state, word);
        bytes.remove_prefix(8);
    }
    return update_by_table(static_cast<std::uint32_t>(state), bytes);
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2") != 0) {
        return ~update_by_instruction(~crc, bytes);
    }
#endif
    return ~update_by_table(~crc, bytes);
}

std::uint32_t crc32c_of_both(std::uint32_t first, std::uint32_t second, std::size_t second_bytes) {
    for (; second_bytes >= 65536; second_bytes -= 65536) {
        first = multiply(first, kBooks);
    }
    first = multiply(multiply(first, kBytes[second_bytes % 256]), kPages[second_bytes / 256]);
    return first ^ second;
}

}  // namespace gateleg::storage::internal

// RocksDB's packaged library is built for processors without the instruction, and its log has a
// checksum over every record: the linker sends its calls here (see CMakeLists.txt of this folder).
extern "C" std::uint32_t gateleg_rocksdb_crc32c(
    std::uint32_t crc, const char* bytes, std::size_t size
) __asm__("__wrap__ZN7rocksdb6crc32c6ExtendEjPKcm");

std::uint32_t gateleg_rocksdb_crc32c(std::uint32_t crc, const char* bytes, std::size_t size) {
    return gateleg::storage::internal::crc32c({bytes, size}, crc);
}

// The same for two checksums put together, which the library does in thousands of instructions for
// each record.
extern "C" std::uint32_t gateleg_rocksdb_crc32c_combine(
    std::uint32_t first, std::uint32_t second, std::size_t second_bytes
) __asm__("__wrap__ZN7rocksdb6crc32c13Crc32cCombineEjjm");

std::uint32_t gateleg_rocksdb_crc32c_combine(
    std::uint32_t first, std::uint32_t second, std::size_t second_bytes
) {
    return gateleg::storage::internal::crc32c_of_both(first, second, second_bytes);
}

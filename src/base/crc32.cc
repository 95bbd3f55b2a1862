#include "base/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gateleg {
namespace {

// `crc` is the finished CRC of what came before.
std::uint32_t continue_with_zlib(std::uint32_t crc, std::string_view bytes) {
    return static_cast<std::uint32_t>(::crc32_z(
        crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())
    ));
}

#if defined(__x86_64__)

constexpr std::size_t kLane = 16;
constexpr std::size_t kStride = 4 * kLane;

// x^n mod P for the distances below, bit-reflected ("Fast CRC Computation Using PCLMULQDQ", Intel,
// 2009). Each pair moves the low and the high half of a lane.
constexpr long long kFold512Low = 0x154442bd4, kFold512High = 0x1c6e41596;
constexpr long long kFold128Low = 0x1751997d0, kFold128High = 0x0ccaa009e;
constexpr long long kFold64 = 0x163cd6124;
constexpr long long kPolynomial = 0x1db710641, kBarrett = 0x1f7011641;

__attribute__((target("pclmul,sse4.1"))) inline __m128i load(const char* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// `lane` moved past the distance of `constants`, plus what lies there.
__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(
    __m128i lane, __m128i constants, __m128i next
) {
    const auto low = _mm_clmulepi64_si128(lane, constants, 0x00);
    const auto high = _mm_clmulepi64_si128(lane, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// 128 bits to the 32 of the register: two folds, then Barrett's reduction.
__attribute__((target("pclmul,sse4.1"))) inline std::uint32_t reduce(__m128i lane) {
    const auto low32 = _mm_setr_epi32(-1, 0, -1, 0);
    const auto to64 = _mm_set_epi64x(kFold128High, kFold128High);
    auto sum = _mm_xor_si128(_mm_srli_si128(lane, 8), _mm_clmulepi64_si128(lane, to64, 0x00));
    sum = _mm_xor_si128(
        _mm_srli_si128(sum, 4),
        _mm_clmulepi64_si128(_mm_and_si128(sum, low32), _mm_set_epi64x(0, kFold64), 0x00)
    );
    const auto barrett = _mm_set_epi64x(kBarrett, kPolynomial);
    auto quotient = _mm_clmulepi64_si128(_mm_and_si128(sum, low32), barrett, 0x10);
    quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low32), barrett, 0x00);
    return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(sum, quotient), 1));
}

// `bytes` is at least one stride long, and a whole number of lanes.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t crc_of_lanes(std::string_view bytes) {
    const char* at = bytes.data();
    auto left = bytes.size() - kStride;
    auto a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(-1));
    auto b = load(at + kLane);
    auto c = load(at + 2 * kLane);
    auto d = load(at + 3 * kLane);
    at += kStride;
    const auto by512 = _mm_set_epi64x(kFold512High, kFold512Low);
    for (; left >= kStride; left -= kStride, at += kStride) {
        a = fold(a, by512, load(at));
        b = fold(b, by512, load(at + kLane));
        c = fold(c, by512, load(at + 2 * kLane));
        d = fold(d, by512, load(at + 3 * kLane));
    }
    const auto by128 = _mm_set_epi64x(kFold128High, kFold128Low);
    auto lane = fold(fold(fold(a, by128, b), by128, c), by128, d);
    for (; left >= kLane; left -= kLane, at += kLane) {
        lane = fold(lane, by128, load(at));
    }
    return ~reduce(lane);
}

bool has_carryless_multiply() {
    static const bool supported =
        __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
    return supported;
}

#endif

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
#if defined(__x86_64__)
    if (bytes.size() >= kStride && has_carryless_multiply()) {
        const auto whole = bytes.size() / kLane * kLane;
        return continue_with_zlib(crc_of_lanes(bytes.substr(0, whole)), bytes.substr(whole));
    }
#endif
    return continue_with_zlib(0, bytes);
}

}  // namespace gateleg

#include "base/ids.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <sys/random.h>

#include "base/check.h"

namespace gateleg {
namespace {

void fill_from_system(void* bytes, std::size_t size) {
    // Up to 256 bytes come whole or not at all; a signal may only interrupt the wait at boot.
    ssize_t got = -1;
    do {
        got = getrandom(bytes, size, 0);
    } while (got < 0 && errno == EINTR);
    GATELEG_CHECK(got == static_cast<ssize_t>(size));
}

// xoshiro256++ (Blackman and Vigna).
class Generator {
public:
    Generator() { fill_from_system(state_.data(), sizeof state_); }

    std::uint64_t next() {
        const auto result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const auto shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

private:
    std::array<std::uint64_t, 4> state_{};
};

// Every two characters of a request's id: made at once for each request, so two at a time.
constexpr auto kPairsOfLetters = [] {
    constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    std::array<std::array<char, 2>, 32 * 32> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i] = {kAlphabet[i % 32], kAlphabet[i / 32]};
    }
    return pairs;
}();

}  // namespace

std::string random_request_id() {
    constexpr std::size_t kPairs = 26;
    constexpr std::size_t kPairsPerDraw = 6;
    thread_local Generator generator;
    std::string id(2 * kPairs, '0');
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kPairs; ++i) {
        bits = i % kPairsPerDraw == 0 ? generator.next() : bits >> 10;
        std::memcpy(id.data() + 2 * i, kPairsOfLetters[bits & 1023].data(), 2);
    }
    return id;
}

std::string random_uuid() {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::array<std::uint8_t, 16> bytes{};
    fill_from_system(bytes.data(), bytes.size());
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);  // version 4
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);  // the variant of RFC 4122
    std::string text;
    text.reserve(36);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text.push_back('-');
        }
        text.push_back(kHex[bytes[i] >> 4]);
        text.push_back(kHex[bytes[i] & 15]);
    }
    return text;
}

}  // namespace gateleg

#include "base/base64.h"

#include <array>
#include <cstdint>

namespace gateleg {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xff;

constexpr auto kDecode = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(kInvalid);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
        table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return table;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
    return static_cast<unsigned char>(bytes[i]);
}

// The six bits of each of `count` characters, or false if one is not in the alphabet.
bool decode_group(std::string_view text, std::size_t count, std::uint32_t& bits) {
    bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint8_t six = i < count ? kDecode[static_cast<unsigned char>(text[i])] : 0;
        if (six == kInvalid) {
            return false;
        }
        bits = bits << 6 | six;
    }
    return true;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const auto bits =
            byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
        out.push_back(kAlphabet[bits >> 18]);
        out.push_back(kAlphabet[bits >> 12 & 63]);
        out.push_back(kAlphabet[bits >> 6 & 63]);
        out.push_back(kAlphabet[bits & 63]);
    }
    const auto rest = bytes.size() - i;
    if (rest == 0) {
        return;
    }
    const auto bits = byte_at(bytes, i) << 16 | (rest == 2 ? byte_at(bytes, i + 1) << 8 : 0);
    out.push_back(kAlphabet[bits >> 18]);
    out.push_back(kAlphabet[bits >> 12 & 63]);
    out.push_back(rest == 2 ? kAlphabet[bits >> 6 & 63] : '=');
    out.push_back('=');
}

std::string encode_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    append_base64(text, bytes);
    return text;
}

bool append_decoded_base64(std::string& out, std::string_view text) {
    if (text.size() % 4 != 0) {
        return false;
    }
    const auto before = out.size();
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const auto group = text.substr(i, 4);
        const bool last = i + 4 == text.size();
        std::size_t count = 4;
        if (last && group[3] == '=') {
            count = group[2] == '=' ? 2 : 3;
        }
        std::uint32_t bits = 0;
        if (!decode_group(group, count, bits)) {
            out.resize(before);
            return false;
        }
        for (std::size_t k = 0; k + 1 < count; ++k) {
            out.push_back(static_cast<char>(bits >> (16 - 8 * k) & 0xff));
        }
    }
    return true;
}

}  // namespace gateleg

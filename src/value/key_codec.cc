#include "value/key_codec.h"

#include <array>
#include <cstdint>

#include "base/check.h"
#include "value/internal/decimal_text.h"
#include "value/value_writer.h"

namespace gateleg::value {
namespace {

// S and B. The end is less than an escaped 0x00, so a text sorts before what it is a prefix of.
constexpr char kEscaped = '\0';
constexpr char kZeroMark = '\xff';
constexpr char kEndMark = '\x01';

// N. Written to disk:
//
//     number = sign [magnitude pair...]
//     sign      0x01 negative, 0x02 zero (nothing follows), 0x03 positive
//     magnitude power of ten of the first digit + 130: -130..125 takes one byte
//     pair      two digits (00..99) * 2, plus 1 when another pair follows
//
// The last pair of an odd count is filled with 0. In a negative number every byte behind the sign
// is complemented, so the larger magnitude sorts first.
constexpr char kNegative = '\x01';
constexpr char kZero = '\x02';
constexpr char kPositive = '\x03';
constexpr int kMagnitudeBias = 130;
constexpr std::size_t kMaxDigits = 38;

std::uint8_t flip_if(bool negative, std::uint8_t byte) {
    return negative ? static_cast<std::uint8_t>(~byte) : byte;
}

// `text` is canonical (Number::to_text).
void append_key_number_text(std::string& out, std::string_view text) {
    if (text == "0") {
        out.push_back(kZero);
        return;
    }
    const bool negative = text.front() == '-';
    if (negative) {
        text.remove_prefix(1);
    }
    std::array<char, kMaxDigits> digits{};
    std::size_t count = 0;
    std::size_t significant = 0;
    int whole = 0;
    bool after_point = false;
    for (const char c : text) {
        if (c == '.') {
            after_point = true;
            continue;
        }
        if (count == 0 && c == '0') {
            whole -= after_point ? 1 : 0;
            continue;
        }
        whole += after_point ? 0 : 1;
        if (count < kMaxDigits) {
            digits[count] = static_cast<char>(c - '0');
        }
        ++count;
        if (c != '0') {
            significant = count;
        }
    }

    const auto push = [&](int byte) {
        out.push_back(static_cast<char>(flip_if(negative, static_cast<std::uint8_t>(byte))));
    };
    out.push_back(negative ? kNegative : kPositive);
    push(whole - 1 + kMagnitudeBias);
    // digits[significant] may be read for an odd count: it is a 0 of the text or of the array.
    for (std::size_t i = 0; i < significant; i += 2) {
        const int pair = digits[i] * 10 + digits[i + 1];
        push(pair * 2 + (i + 2 < significant ? 1 : 0));
    }
}

void decode_key_number(std::string& out, std::string_view& in) {
    ValueWriter writer(out);
    const char sign = in.front();
    in.remove_prefix(1);
    if (sign == kZero) {
        writer.number("0");
        return;
    }
    const bool negative = sign == kNegative;
    const auto take = [&] {
        const auto byte = flip_if(negative, static_cast<std::uint8_t>(in.front()));
        in.remove_prefix(1);
        return static_cast<int>(byte);
    };
    const int magnitude = take() - kMagnitudeBias;
    std::array<char, kMaxDigits> digits{};
    std::size_t count = 0;
    for (bool more = true; more;) {
        const int pair = take();
        more = (pair & 1) != 0;
        GATELEG_CHECK(count + 2 <= kMaxDigits);
        digits[count++] = static_cast<char>('0' + pair / 20);
        digits[count++] = static_cast<char>('0' + pair / 2 % 10);
    }
    if (digits[count - 1] == '0') {
        --count;
    }
    std::string text;
    const int exponent = magnitude - static_cast<int>(count) + 1;
    internal::append_decimal(text, negative, {digits.data(), count}, exponent);
    writer.number(text);
}

// Takes an encoded S or B off the front of `in`, up to and with its end mark.
std::string decode_key_bytes(std::string_view& in) {
    std::string bytes;
    for (;;) {
        const auto zero = in.find(kEscaped);
        GATELEG_CHECK(zero != std::string_view::npos && zero + 1 < in.size());
        const char mark = in[zero + 1];
        bytes.append(in.substr(0, zero));
        in.remove_prefix(zero + 2);
        if (mark == kEndMark) {
            return bytes;
        }
        bytes.push_back(kEscaped);
    }
}

}  // namespace

void append_key_prefix(std::string& out, std::string_view bytes) {
    for (;;) {
        const auto zero = bytes.find(kEscaped);
        out.append(bytes.substr(0, zero));
        if (zero == std::string_view::npos) {
            return;
        }
        out.push_back(kEscaped);
        out.push_back(kZeroMark);
        bytes.remove_prefix(zero + 1);
    }
}

void append_key_bytes(std::string& out, std::string_view bytes) {
    append_key_prefix(out, bytes);
    out.push_back(kEscaped);
    out.push_back(kEndMark);
}

void append_key_number(std::string& out, const Number& number) {
    append_key_number_text(out, number.to_text());
}

void append_key(std::string& out, ValueView value) {
    if (value.type() == Type::kNumber) {
        append_key_number_text(out, value.text());
    } else {
        append_key_bytes(out, value.text());
    }
}

void decode_key(std::string& out, Type type, std::string_view& in) {
    ValueWriter writer(out);
    switch (type) {
        case Type::kNumber:
            decode_key_number(out, in);
            return;
        case Type::kBinary:
            writer.binary(decode_key_bytes(in));
            return;
        default:
            writer.string(decode_key_bytes(in));
    }
}

}  // namespace gateleg::value

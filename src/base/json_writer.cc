#include "base/json_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gateleg {
namespace {

static_assert(std::endian::native == std::endian::little);

// Marks with 0x80 the bytes of `word` that must be escaped. Only the lowest mark is exact: a borrow
// may set others above it.
constexpr std::uint64_t escape_marks(std::uint64_t word) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    const auto below = [](std::uint64_t bytes, std::uint64_t limit) {
        return (bytes - kOnes * limit) & ~bytes;
    };
    return (below(word, 0x20) | below(word ^ kOnes * '"', 1) | below(word ^ kOnes * '\\', 1)) &
           kOnes * 0x80;
}

// One to seven bytes in a word, and letters above them. Loads may overlap: they agree where they
// do.
std::uint64_t short_word(std::string_view text) {
    const auto size = text.size();
    std::uint64_t word = 0;
    if (size >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, text.data(), sizeof first);
        std::memcpy(&last, text.data() + size - sizeof last, sizeof last);
        word = first | std::uint64_t{last} << 8 * (size - sizeof last);
    } else {
        const auto byte = [text](std::size_t at) {
            return std::uint64_t{static_cast<unsigned char>(text[at])} << 8 * at;
        };
        word = byte(0) | byte(size / 2) | byte(size - 1);
    }
    return word | std::uint64_t{0x6161616161616161} << 8 * size;
}

#if defined(__SSE2__)
// Whether 32 bytes have one among them that must be escaped.
bool has_escape(const char* text) {
    const auto marks = [](const char* bytes) {
        const auto found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
        const auto control = _mm_set1_epi8(0x1F);
        return _mm_or_si128(
            _mm_cmpeq_epi8(_mm_max_epu8(found, control), control),
            _mm_or_si128(
                _mm_cmpeq_epi8(found, _mm_set1_epi8('"')),
                _mm_cmpeq_epi8(found, _mm_set1_epi8('\\'))
            )
        );
    };
    return _mm_movemask_epi8(_mm_or_si128(marks(text), marks(text + 16))) != 0;
}
#endif

// The first place from `at` on that must be escaped, or text.size().
std::size_t find_escape(std::string_view text, std::size_t at) {
    // What is shorter than a word, such as most names: its bytes, then letters.
    if (text.size() < 8) {
        if (at >= text.size()) {
            return at;
        }
        const auto marks = escape_marks(short_word(text.substr(at)));
        return marks == 0 ? text.size()
                          : at + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
    }
#if defined(__SSE2__)
    while (at + 32 <= text.size() && !has_escape(text.data() + at)) {
        at += 32;
    }
#endif
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        if (const auto marks = escape_marks(word); marks != 0) {
            return at + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
        }
    }
    // The last few bytes once more in a whole word, without a loop over them.
    if (at < text.size()) {
        const auto start = text.size() - 8;
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + start, sizeof word);
        word |= 0x6161616161616161 & ((std::uint64_t{1} << 8 * (at - start)) - 1);
        const auto marks = escape_marks(word);
        return marks == 0 ? text.size()
                          : start + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
    }
    return at;
}

void append_escaped(std::string& out, unsigned char byte) {
    constexpr std::string_view kHex = "0123456789abcdef";
    switch (byte) {
        case '"':
            out.append("\\\"");
            return;
        case '\\':
            out.append("\\\\");
            return;
        case '\b':
            out.append("\\b");
            return;
        case '\f':
            out.append("\\f");
            return;
        case '\n':
            out.append("\\n");
            return;
        case '\r':
            out.append("\\r");
            return;
        case '\t':
            out.append("\\t");
            return;
        default:
            out.append("\\u00");
            out.push_back(kHex[byte >> 4]);
            out.push_back(kHex[byte & 15]);
    }
}

}  // namespace

bool needs_json_escape(std::string_view text) {
    return find_escape(text, 0) != text.size();
}

void append_json_string(std::string& out, std::string_view text) {
    out.push_back('"');
    for (std::size_t start = 0;;) {
        const auto end = find_escape(text, start);
        out.append(text, start, end - start);
        if (end == text.size()) {
            break;
        }
        append_escaped(out, static_cast<unsigned char>(text[end]));
        start = end + 1;
    }
    out.push_back('"');
}

void JsonWriter::number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    raw({text.data(), static_cast<std::size_t>(end - text.data())});
}

}  // namespace gateleg

#include "base/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace gateleg {
namespace {

constexpr bool must_escape(unsigned char byte) {
    return byte < 0x20 || byte == '"' || byte == '\\';
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
    return std::any_of(text.begin(), text.end(), [](char c) {
        return must_escape(static_cast<unsigned char>(c));
    });
}

void append_json_string(std::string& out, std::string_view text) {
    out.push_back('"');
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (must_escape(byte)) {
            out.append(text, start, i - start);
            append_escaped(out, byte);
            start = i + 1;
        }
    }
    out.append(text, start);
    out.push_back('"');
}

void JsonWriter::number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    raw({text.data(), static_cast<std::size_t>(end - text.data())});
}

}  // namespace gateleg

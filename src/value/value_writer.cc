#include "value/value_writer.h"

#include <cstring>

#include "base/json_writer.h"

namespace gateleg::value {
namespace {

void append_u32(std::string& out, std::size_t number) {
    const auto word = static_cast<std::uint32_t>(number);
    char bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    out.append(bytes, sizeof word);
}

// A varint of a 64-bit number takes up to ten bytes.
constexpr std::size_t kMaxVarint = 10;

std::size_t put_varint(char* at, std::size_t number) {
    std::size_t length = 0;
    for (; number >= 0x80; number >>= 7) {
        at[length++] = static_cast<char>(number | 0x80);
    }
    at[length++] = static_cast<char>(number);
    return length;
}

void append_bytes(std::string& out, std::string_view bytes) {
    append_varint(out, bytes.size());
    out.append(bytes);
}

void append_scalar(std::string& out, char tag, std::string_view bytes) {
    char head[1 + kMaxVarint];
    head[0] = tag;
    out.append(head, 1 + put_varint(head + 1, bytes.size()));
    out.append(bytes);
}

constexpr char tag_of(Type type, bool escape = false) {
    return static_cast<char>(static_cast<std::uint8_t>(type) | (escape ? kEscapeFlag : 0));
}

}  // namespace

void append_varint(std::string& out, std::size_t number) {
    char bytes[kMaxVarint];
    out.append(bytes, put_varint(bytes, number));
}

void ValueWriter::string(std::string_view text) {
    append_scalar(out_, tag_of(Type::kString, needs_json_escape(text)), text);
}

void ValueWriter::number(std::string_view canonical_text) {
    append_scalar(out_, tag_of(Type::kNumber), canonical_text);
}

void ValueWriter::binary(std::string_view bytes) {
    append_scalar(out_, tag_of(Type::kBinary), bytes);
}

void ValueWriter::boolean(bool value) {
    out_.push_back(tag_of(Type::kBool));
    out_.push_back(value ? '\1' : '\0');
}

void ValueWriter::null() {
    out_.push_back(tag_of(Type::kNull));
}

void ValueWriter::set(Type type, std::span<const std::string_view> ordered_members) {
    bool escape = false;
    if (type == Type::kStringSet) {
        for (const auto member : ordered_members) {
            escape = escape || needs_json_escape(member);
        }
    }
    const auto mark = begin(type, ordered_members.size());
    out_[mark] = tag_of(type, escape);
    for (const auto member : ordered_members) {
        append_bytes(out_, member);
    }
    end(mark);
}

void ValueWriter::name(std::string_view text) {
    append_bytes(out_, text);
}

std::size_t ValueWriter::begin(Type type, std::size_t count) {
    const auto mark = out_.size();
    out_.push_back(tag_of(type));
    append_u32(out_, 0);
    append_u32(out_, count);
    return mark;
}

void ValueWriter::end(std::size_t mark) {
    const auto length = static_cast<std::uint32_t>(out_.size() - mark - 5);
    std::memcpy(out_.data() + mark + 1, &length, sizeof length);
}

}  // namespace gateleg::value

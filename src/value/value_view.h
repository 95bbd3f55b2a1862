// A value in its binary form: what is stored, compared and turned into JSON without building a
// tree.
//
// The form is canonical: names of a map are in byte order, members of a set in their own order and
// numbers in one spelling, so two values are equal exactly when their bytes are.
//
//     value    = tag, payload
//     tag      = the type, | 0x80 if JSON must escape a character of an S or SS
//     S N B    = varint length, bytes; N is its canonical decimal text
//     BOOL     = one byte, 0 or 1
//     NULL     = nothing
//     L        = u32 byte length of what follows it, u32 count, then the values
//     M        = the same, then varint length, name, value of each entry
//     SS NS BS = the same, then varint length, bytes of each member
//
// An item is a map. docs/formats/disk.md has the whole format.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "value/types.h"

namespace gateleg::value {

inline constexpr std::uint8_t kTypeMask = 0x1f;
inline constexpr std::uint8_t kEscapeFlag = 0x80;

// Reads a varint at `at` and moves `at` behind it. Only for bytes that our encoder wrote.
inline std::size_t read_varint(const char*& at) {
    std::size_t result = 0;
    for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*at++);
        result |= static_cast<std::size_t>(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return result;
        }
    }
}

inline std::uint32_t read_u32(const char* at) {
    std::uint32_t result = 0;
    std::memcpy(&result, at, sizeof result);
    return result;
}

inline std::string_view read_bytes(const char*& at) {
    const auto length = read_varint(at);
    const std::string_view bytes(at, length);
    at += length;
    return bytes;
}

// Non-owning and cheap to copy; valid while the bytes it points into are.
// Immutable, so any thread may read it.
class ValueView {
public:
    struct Entry;
    class Elements;
    class Entries;
    class Members;

    // `tag` points at the first byte of a value.
    explicit ValueView(const char* tag) : tag_(tag) {}

    Type type() const { return static_cast<Type>(static_cast<std::uint8_t>(*tag_) & kTypeMask); }
    bool needs_escape() const { return (static_cast<std::uint8_t>(*tag_) & kEscapeFlag) != 0; }

    // The whole encoding, tag included.
    std::string_view bytes() const { return {tag_, static_cast<std::size_t>(end() - tag_)}; }
    const char* end() const;

    // The text of S, the bytes of B, the canonical decimal text of N.
    std::string_view text() const {
        const char* at = tag_ + 1;
        return read_bytes(at);
    }
    bool boolean() const { return tag_[1] != 0; }

    // L, M and sets.
    std::size_t count() const { return read_u32(tag_ + 5); }
    Elements elements() const;
    Entries entries() const;
    Members members() const;

    // M: the value under `name`.
    std::optional<ValueView> find(std::string_view name) const;
    // L: the element at `index`.
    std::optional<ValueView> at(std::size_t index) const;
    // Sets: whether `member` (text in canonical form) is in it.
    bool has_member(std::string_view member) const;

    friend bool operator==(ValueView left, ValueView right) {
        return left.tag_ == right.tag_ || left.bytes() == right.bytes();
    }

private:
    const char* body() const { return tag_ + 9; }

    const char* tag_;
};

struct ValueView::Entry {
    std::string_view name;
    ValueView value;
};

inline const char* ValueView::end() const {
    const char* at = tag_ + 1;
    switch (type()) {
        case Type::kString:
        case Type::kNumber:
        case Type::kBinary: {
            const auto length = read_varint(at);
            return at + length;
        }
        case Type::kBool:
            return at + 1;
        case Type::kNull:
            return at;
        default:
            return at + 4 + read_u32(at);
    }
}

// Ranges for `for`: each iterator is a position in the bytes and the number of things left.
namespace internal {

template <class Item, Item (*Read)(const char*&)>
class PackedRange {
public:
    class iterator {  // NOLINT: named as the standard library names it
    public:
        using value_type = Item;
        using difference_type = std::ptrdiff_t;

        iterator(const char* at, std::size_t left) : at_(at), left_(left) {}
        // Once for each place: it also finds where the next one is.
        Item operator*() {
            next_ = at_;
            return Read(next_);
        }
        iterator& operator++() {
            if (next_ == nullptr) {
                next_ = at_;
                Read(next_);
            }
            at_ = next_;
            next_ = nullptr;
            --left_;
            return *this;
        }
        bool operator==(const iterator& other) const { return left_ == other.left_; }

    private:
        const char* at_;
        const char* next_ = nullptr;
        std::size_t left_;
    };

    PackedRange(const char* begin, std::size_t count) : begin_(begin), count_(count) {}
    iterator begin() const { return {begin_, count_}; }
    iterator end() const { return {nullptr, 0}; }
    std::size_t size() const { return count_; }

private:
    const char* begin_;
    std::size_t count_;
};

inline ValueView read_element(const char*& at) {
    const ValueView value(at);
    at = value.end();
    return value;
}

inline ValueView::Entry read_entry(const char*& at) {
    const auto name = read_bytes(at);
    const ValueView value(at);
    at = value.end();
    return {name, value};
}

}  // namespace internal

class ValueView::Elements : public internal::PackedRange<ValueView, internal::read_element> {
    using PackedRange::PackedRange;
};
class ValueView::Entries : public internal::PackedRange<ValueView::Entry, internal::read_entry> {
    using PackedRange::PackedRange;
};
class ValueView::Members : public internal::PackedRange<std::string_view, read_bytes> {
    using PackedRange::PackedRange;
};

inline ValueView::Elements ValueView::elements() const {
    return {body(), count()};
}
inline ValueView::Entries ValueView::entries() const {
    return {body(), count()};
}
inline ValueView::Members ValueView::members() const {
    return {body(), count()};
}

// An item that owns its bytes. Moves like a string; its view dies with it.
class EncodedItem {
public:
    // An item without attributes.
    EncodedItem() : bytes_({static_cast<char>(Type::kMap), 4, 0, 0, 0, 0, 0, 0, 0}) {}
    // `bytes` hold one map value.
    explicit EncodedItem(std::string bytes) : bytes_(std::move(bytes)) {}

    ValueView view() const { return ValueView(bytes_.data()); }
    const std::string& bytes() const { return bytes_; }
    std::string take_bytes() && { return std::move(bytes_); }

private:
    std::string bytes_;
};

}  // namespace gateleg::value

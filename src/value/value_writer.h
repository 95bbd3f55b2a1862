// Appends values in their binary form to a string.
//
// The caller gives names of a map and members of a set in order (see value_view.h) and the exact
// count; containers may be nested.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "value/types.h"
#include "value/value_view.h"

namespace gateleg::value {

void append_varint(std::string& out, std::size_t number);

class ValueWriter {
public:
    explicit ValueWriter(std::string& out) : out_(out) {}

    void string(std::string_view text);
    void number(std::string_view canonical_text);
    void binary(std::string_view bytes);
    void boolean(bool value);
    void null();
    void set(Type type, std::span<const std::string_view> ordered_members);
    void copy(ValueView value) { out_.append(value.bytes()); }

    // Each begin gives a mark for the end() that closes it.
    std::size_t begin_list(std::size_t count) { return begin(Type::kList, count); }
    std::size_t begin_map(std::size_t count) { return begin(Type::kMap, count); }
    void name(std::string_view text);
    void end(std::size_t mark);

private:
    std::size_t begin(Type type, std::size_t count);

    std::string& out_;
};

}  // namespace gateleg::value

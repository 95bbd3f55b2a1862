// Order-keeping encoding of key attributes: comparing the bytes compares the values as DynamoDB
// does.
//
// S and B sort by their bytes, N by its value. Each encoding ends itself, so several can follow
// each other in one key and be decoded again. Written to disk: docs/formats/disk.md.

#pragma once

#include <string>
#include <string_view>

#include "value/number.h"
#include "value/value_view.h"

namespace gateleg::value {

// S and B: 0x00 becomes 0x00 0xff; the end is 0x00 0x01.
void append_key_bytes(std::string& out, std::string_view bytes);
// The same without the end: a prefix of every encoded key that begins with `bytes`.
void append_key_prefix(std::string& out, std::string_view bytes);
void append_key_number(std::string& out, const Number& number);

// A value of type S, B or N.
void append_key(std::string& out, ValueView value);

// Reads one encoded component of `type` (S, B or N) off the front of `in` and appends it to `out`
// in the binary value form. Only for bytes that append_key wrote.
void decode_key(std::string& out, Type type, std::string_view& in);

}  // namespace gateleg::value

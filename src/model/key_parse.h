// Keys taken apart without a tree of what they were made from.

#pragma once

#include <optional>
#include <string_view>

#include "model/key_template.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Whether the template makes such keys, as far as each variable by itself can tell. Of one with a
// variable that stands in it twice, parse_key() knows more.
bool fits_key(const KeyTemplate& made_by, std::string_view key);

// What stands for a variable of the template in a key that fits.
std::optional<std::string_view> find_key_piece(
    const KeyTemplate& made_by, std::string_view key, const KeyVariable& wanted
);

// The value that such a piece stands for; nothing where the format lost it.
std::optional<value::AttributeValue> read_piece(const KeyVariable& variable, std::string_view text);
// The value is the piece itself, as text.
bool is_text_piece(const KeyVariable& variable);

}  // namespace gateleg::model

// Where a list goes on: signed, and bound to the pattern, its parameters and the caller.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "value/attribute_value.h"
#include "value/value_view.h"

namespace gateleg::model {

struct CursorPosition {
    std::size_t group = 0;
    // Of each query of the group: the key of the last item taken, or nothing yet.
    std::vector<std::optional<value::Item>> after = {};
};

// The same with keys in their binary form.
struct EncodedPosition {
    std::size_t group = 0;
    std::vector<std::optional<value::EncodedItem>> after = {};
};
EncodedPosition encode_position(const CursorPosition& position);

std::string render_cursor(
    const HmacKey& key, std::string_view binding, const EncodedPosition& position
);
std::string render_cursor(
    const HmacKey& key, std::string_view binding, const CursorPosition& position
);
// Nothing unless render_cursor() made it with the same key and binding.
std::optional<CursorPosition> parse_cursor(
    const HmacKey& key, std::string_view binding, std::string_view text
);

}  // namespace gateleg::model

// Where the next page of a SELECT begins, as text that a client hands back.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value_view.h"

namespace gateleg::partiql {

struct PageStart {
    std::size_t range = 0;  // of the plan's key ranges
    std::optional<value::EncodedItem> after;
};

// `request` tells one statement with its parameters from another.
std::string encode_next_token(const PageStart& start, std::uint64_t request);

// Fails if the text is no token, or one of another request. What it holds is checked like anything
// else that a client sends.
Result<PageStart> decode_next_token(std::string_view token, std::uint64_t request);

}  // namespace gateleg::partiql

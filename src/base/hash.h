// A fast 64-bit hash whose values may be stored: they never change.

#pragma once

#include <cstdint>
#include <string_view>

namespace gateleg {

// XXH3. Not for secrets, and not against an adversary who picks the input.
std::uint64_t hash64(std::string_view bytes);

}  // namespace gateleg

// Takes from this process everything that decoding a picture does not need. There is no way back.

#pragma once

#include <cstdint>

namespace gateleg::objects::internal {

// Afterwards: memory and time have an end, descriptors 0 to 2 are the only ones, and where the
// kernel allows it there is neither a network nor a system call that opens, sends or starts
// anything.
void lock_in(std::uint64_t max_memory_bytes, std::uint64_t max_seconds);

// False where sanitizers or the machine leave only the limits.
bool locks_in_fully();

}  // namespace gateleg::objects::internal

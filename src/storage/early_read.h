// A row that is read before the writer's turn comes, so that the writer mostly need not read it:
// docs/adr/0043-old-items-are-read-early.md.

#pragma once

#include <cstdint>

namespace gateleg::storage {

// What was written to a row, or to one that shares its place, counts up. Odd while a write is under
// way, and for what was never read: then nothing can be told.
struct RowCounts {
    std::uint64_t place = 1;
    std::uint64_t ranges = 1;

    bool being_written() const { return (place | ranges) % 2 != 0; }
    bool operator==(const RowCounts&) const = default;
};

struct EarlyRead {
    RowCounts counts;  // from before it was read
    bool found = false;
};

}  // namespace gateleg::storage

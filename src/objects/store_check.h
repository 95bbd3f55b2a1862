// What a comparison of body files and records found.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gateleg::objects {

struct MissingBody {
    std::string bucket;
    std::string key;
    std::string problem;  // "no file", "1000 bytes instead of 1024"
};

struct StoreCheck {
    std::uint64_t buckets = 0;
    std::uint64_t objects = 0;
    std::uint64_t bodies = 0;
    std::uint64_t bytes = 0;
    // Files that no record names: the rest of a write or a deletion that was cut off. Harmless.
    std::uint64_t orphans = 0;
    std::uint64_t orphan_bytes = 0;
    std::uint64_t orphans_removed = 0;
    // Records whose body is gone or has another size: data loss, and nothing here can mend it.
    std::vector<MissingBody> missing;  // at most 1000 of them
    std::uint64_t missing_count = 0;
    // Records that do not fit together, such as a body that nobody owns.
    std::uint64_t loose_records = 0;
};

}  // namespace gateleg::objects

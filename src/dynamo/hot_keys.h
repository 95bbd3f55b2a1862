// What a store of our own can tell while it works: which partitions are called most.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "value/value_view.h"

namespace gateleg::dynamo {

struct HotKeysRequest {
    std::optional<std::string> table = {};  // only of this one
    std::size_t limit = 20;
};

struct HotKey {
    std::string table;
    std::optional<std::string> index = {};  // none: the table itself
    value::EncodedItem key;                 // the attributes of the partition key
    std::uint64_t reads = 0;                // calls that read of it, not items
    std::uint64_t writes = 0;
    // Surely seen are the two above; there may have been so many more.
    std::uint64_t spare = 0;
};

struct HotKeysReply {
    std::vector<HotKey> keys;  // the most called first
    std::uint64_t calls = 0;   // on all partitions of all tables and indexes
    std::int64_t millis = 0;   // of the time that was counted
};

// Thread-safe. Answers on the calling thread.
class HotKeyReader {
public:
    virtual ~HotKeyReader() = default;
    virtual HotKeysReply read_hot_keys(const HotKeysRequest& request) const = 0;
};

}  // namespace gateleg::dynamo

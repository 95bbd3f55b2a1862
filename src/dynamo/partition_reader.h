// What a store of our own can do beyond the DynamoDB API: go from partition to partition without
// reading what lies between.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value_view.h"

namespace gateleg::dynamo {

struct PartitionsRequest {
    std::string table;
    std::optional<std::string> index = {};
    // Only partitions whose first key attribute, as text, begins with this.
    std::string prefix = {};
    // PartitionsReply::next of the page before; empty: from the first partition.
    std::string after = {};
    std::size_t limit = 50;
    std::size_t items = 25;  // of each partition
};

struct Partition {
    value::EncodedItem key;                 // the attributes of the partition key
    std::vector<value::EncodedItem> items;  // in the order of the sort key
    bool more = false;                      // there are items behind these
};

struct PartitionsReply {
    std::vector<Partition> partitions;
    // Where to go on; empty: this was the last. A page may be short, or empty, and have one: a
    // prefix that few partitions have takes many looks.
    std::string next;
};

// Thread-safe. Answers on the calling thread.
class PartitionReader {
public:
    virtual ~PartitionReader() = default;
    virtual Result<PartitionsReply> read_partitions(const PartitionsRequest& request) const = 0;
};

}  // namespace gateleg::dynamo

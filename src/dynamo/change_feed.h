// What a store of our own can do beyond the DynamoDB Streams API: tell the changes of a table in
// one order, whatever shards they are in, and say when there are more.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dynamo/streams.h"

namespace gateleg::dynamo {

// Where to begin: behind a sequence number.
struct ChangesRequest {
    std::string table;
    std::string after;  // a sequence number
    std::size_t limit = 256;
    std::size_t max_bytes = std::size_t{1} << 20;  // the record that passes it is the last
};

struct ChangesReply {
    // False: the table has no stream, or it was switched off; nothing else is set then.
    bool enabled = false;
    StreamView view = StreamView::kKeysOnly;
    std::vector<StreamRecord> records;  // in the order of their numbers
    std::string position;               // to go on from
    bool more = false;                  // at once, there is more
    // Records between `after` and the first of these may be gone: they were older than a day, or of
    // a stream that was switched off since.
    bool gap = false;
};

// The ends of what can be read now.
struct ChangesRange {
    bool enabled = false;
    StreamView view = StreamView::kKeysOnly;
    std::string horizon;  // everything that is left comes behind it
    std::string latest;
};

// Thread-safe. Answers on the calling thread.
class ChangeFeed {
public:
    virtual ~ChangeFeed() = default;

    // kResourceNotFound if there is no such table.
    virtual Result<ChangesRange> changes_range(const std::string& table) const = 0;
    // kValidation for a number that was not given out yet, or is none.
    virtual Result<ChangesReply> read_changes(const ChangesRequest& request) const = 0;

    // Calls `listener` on the thread that writes, after each batch with records in it: it must be
    // quick. An empty one ends that; when the call returns, the old one is not called any more.
    virtual void on_changes(std::function<void()> listener) = 0;
};

}  // namespace gateleg::dynamo

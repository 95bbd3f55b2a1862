// Puts items into a table in batches, within a budget, and says which of them it does not take.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "transfer/control.h"
#include "value/value_view.h"

namespace gateleg::transfer {

struct WriteTable {
    std::string table;
    dynamo::KeySchema key_schema;
    // False: an item whose key is there already is left as it is.
    bool overwrite = true;
    Budget& units;  // write capacity units
    Budget& items;
};

struct Refused {
    std::size_t index = 0;  // among the items of the call
    std::string message;
};

struct WriteOutcome {
    std::int64_t written = 0;
    std::int64_t existing = 0;  // left as they were
    std::vector<Refused> refused = {};
};

// One thread at a time.
class TableWriter {
public:
    TableWriter(dynamo::Dynamo& dynamo, const WriteTable& request, const Control& control)
        : dynamo_(dynamo), request_(request), control_(control) {}

    // All are written, or refused, when it returns; of two with the same key the later one stays.
    // An error is one of the store, not of an item: what was written then is not known.
    Result<WriteOutcome> write(const std::vector<value::EncodedItem>& items);

private:
    struct Batch;
    std::size_t batch_size() const;
    bool key_of(value::ValueView item, std::string& key) const;
    Result<void> write_batches(
        const std::vector<value::EncodedItem>& items,
        const std::vector<std::size_t>& wanted,
        WriteOutcome& outcome
    );
    Result<void> finish(
        const std::vector<value::EncodedItem>& items, Batch& batch, WriteOutcome& outcome
    );
    Result<void> put_one(const value::EncodedItem& item, std::size_t index, WriteOutcome& outcome);

    dynamo::Dynamo& dynamo_;
    const WriteTable& request_;
    const Control& control_;
};

}  // namespace gateleg::transfer

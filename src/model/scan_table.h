// A table of any store read from its beginning: as lines for people, or as a draft of its model.
// Calls block: for commands.

#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "model/infer.h"

namespace gateleg::model {

struct ScanTableOptions {
    std::size_t most = 0;  // items; 0: all
    // After each page: items so far, and about how many there are.
    std::function<void(std::size_t count, std::size_t total)> progress = {};
};

// Each item in DynamoDB's JSON, without a line's end. Gives their number.
Result<std::size_t> list_items(
    dynamo::Dynamo& dynamo,
    const std::string& table,
    const ScanTableOptions& options,
    const std::function<void(const std::string& json)>& each
);

struct InferredTable {
    InferredModel draft;
    std::size_t items = 0;
};
Result<InferredTable> infer_table(
    dynamo::Dynamo& dynamo, const std::string& table, const ScanTableOptions& options
);

}  // namespace gateleg::model

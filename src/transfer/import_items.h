// Puts the items of a source into a table that exists.
//
// After each few groups of items a state file says how many records of which file are done; so an
// import that was broken off goes on from there. What is then done twice are puts of the same
// items.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "transfer/control.h"
#include "transfer/import_source.h"

namespace gateleg::transfer {

struct ImportOptions {
    std::string table;
    bool overwrite = true;
    char delimiter = ',';
    std::vector<std::string> header = {};  // CSV files without one of their own
    double max_write_units = 0;            // a second; 0: no bound
    double max_items = 0;
    // Records that may be wrong; the next one ends the import.
    std::int64_t max_errors = 0;
    std::filesystem::path state;  // empty: none is kept
    bool resume = false;
};

struct ImportReport {
    std::int64_t records = 0;  // read, those of earlier runs included
    std::int64_t written = 0;
    std::int64_t existing = 0;  // left as they were, without overwrite
    std::int64_t failed = 0;    // no items, or not taken by the table
    std::int64_t bytes = 0;     // of the items, as DynamoDB counts
    double write_units = 0;
    bool finished = false;                   // false: it was stopped, and can be resumed
    std::vector<std::string> problems = {};  // the first hundred
};

Result<ImportReport> import_items(
    dynamo::Dynamo& dynamo,
    const ImportSource& source,
    const ImportOptions& options,
    const Control& control
);

}  // namespace gateleg::transfer

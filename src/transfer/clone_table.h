// Copies a table from one store into another: its shape, then its items segment by segment, then a
// count of what has arrived.
//
// A state file keeps how far each segment has come; an interrupted clone goes on from there.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "transfer/anonymise.h"
#include "transfer/control.h"

namespace gateleg::transfer {

struct CloneOptions {
    std::string source_name;  // for the state file
    std::string target_name;
    std::string table;      // in the source
    std::string new_table;  // in the target
    std::uint32_t segments = 4;
    bool consistent = false;
    double max_read_units = 0;   // of the source, a second; 0: no bound
    double max_write_units = 0;  // of the target
    double max_items = 0;
    std::vector<AnonymiseRule> rules = {};
    std::string secret = {};  // of hashes; random unless given, and kept in the state
    // Copies into a table that is there already; otherwise one is refused.
    bool into_existing = false;
    std::filesystem::path state;
    bool resume = false;
};

struct CloneReport {
    std::int64_t items = 0;  // copied, those of earlier runs included
    // In the target afterwards, counted; nothing if it was stopped before.
    std::optional<std::int64_t> counted = {};
    double read_units = 0;
    double write_units = 0;
    bool created = false;
    bool finished = false;
};

Result<CloneReport> clone_table(
    dynamo::Dynamo& source,
    dynamo::Dynamo& target,
    const CloneOptions& options,
    const Control& control
);

}  // namespace gateleg::transfer

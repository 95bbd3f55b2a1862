// Exports the items of a table into a folder, in the layout of manifest.h, and from there into one
// file of JSON lines or CSV.
//
// Each segment of the table is a data file that grows by whole gzip members. After each of them
// export-state.json says how much of each file holds; so an export that was broken off at any
// moment goes on from there, without an item lost or written twice.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "dynamo/dynamo.h"
#include "transfer/control.h"
#include "transfer/item_lines.h"
#include "transfer/manifest.h"

namespace gateleg::transfer {

struct ExportOptions {
    std::string table;
    std::filesystem::path folder;  // will hold AWSDynamoDB/
    std::uint32_t segments = 4;
    bool consistent = false;
    double max_read_units = 0;  // a second; 0: no bound
    double max_items = 0;
    bool resume = false;
    // What the manifests say about the place in S3; the bucket is the folder's name unless given.
    std::optional<std::string> s3_bucket = {};
    std::optional<std::string> s3_prefix = {};
    std::optional<std::string> s3_sse_algorithm = {};
    std::optional<std::string> s3_sse_kms_key_id = {};
    std::optional<std::string> id = {};  // made unless given
};

struct ExportReport {
    std::string id;
    std::filesystem::path folder;  // AWSDynamoDB/<ExportId>
    std::int64_t items = 0;
    std::int64_t files = 0;
    double read_units = 0;
    bool finished = false;  // false: it was stopped, and can be resumed
    ManifestSummary summary = {};
};

Result<ExportReport> export_table(
    dynamo::Dynamo& dynamo, const Clock& clock, const ExportOptions& options, const Control& control
);

// The items of a finished export as one file, compressed if its name ends with ".gz". CSV has a
// column for each attribute that any item has, the key first.
Result<void> convert_export(
    const std::filesystem::path& export_folder,
    const std::filesystem::path& file,
    Format format,
    char delimiter
);

}  // namespace gateleg::transfer

// The layout that DynamoDB's exports to S3 have, in a folder:
//
//     AWSDynamoDB/<ExportId>/_started                  empty
//     AWSDynamoDB/<ExportId>/manifest-summary.json     and manifest-summary.md5
//     AWSDynamoDB/<ExportId>/manifest-files.json       and manifest-files.md5: a line a data file
//     AWSDynamoDB/<ExportId>/data/<name>.json.gz       a line an item
//
// The .md5 files hold the base64 of the MD5. AWS's guide calls them .checksum, its service .md5;
// both are read. Beside them this program writes table.json, what DescribeTable says.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gateleg::transfer {

struct ManifestSummary {
    std::string export_arn;
    std::int64_t start_millis = 0;
    std::int64_t end_millis = 0;
    std::string table_arn;
    std::string table_id;
    std::int64_t export_millis = 0;  // the moment whose data it is
    std::string s3_bucket;
    std::optional<std::string> s3_prefix;
    std::optional<std::string> s3_sse_algorithm;
    std::optional<std::string> s3_sse_kms_key_id;
    std::string manifest_files_key;
    std::int64_t billed_size_bytes = 0;
    std::int64_t item_count = 0;
    std::string output_format = "DYNAMODB_JSON";
    std::string export_type = "FULL_EXPORT";
};

struct ManifestFile {
    std::int64_t item_count = 0;
    std::string md5_base64;
    std::string etag;
    std::string key;  // dataFileS3Key, from the bucket down
};

std::string render_manifest_summary(const ManifestSummary& summary);
std::string render_manifest_files(const std::vector<ManifestFile>& files);

// Errors name the line and the member.
Result<ManifestSummary> parse_manifest_summary(std::string_view text);
Result<std::vector<ManifestFile>> parse_manifest_files(std::string_view text);

// The last part of a data file's key, which is its name in data/; fails if that is none.
Result<std::string> data_file_name(const ManifestFile& file);

// "01693685827463-2d8752fd": the time, and what tells two of one moment apart.
std::string make_export_id(std::int64_t millis);
// "ggj2e6ktpa4g3ggy4q5sj2yzpm.json.gz"
std::string make_data_file_name();

// Writes NAME.json and NAME.md5 for manifest-summary or manifest-files.
Result<void> write_manifest(
    const std::filesystem::path& folder, std::string_view name, std::string_view text
);
// Reads NAME.json and compares it with its checksum file, which must be there.
Result<std::string> read_manifest(const std::filesystem::path& folder, std::string_view name);

}  // namespace gateleg::transfer

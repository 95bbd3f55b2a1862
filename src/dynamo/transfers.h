// Exports to S3 and imports from it: the requests and replies of their operations, and who answers
// them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/dynamo.h"

namespace gateleg::dynamo {

enum class TransferStatus : std::uint8_t { kInProgress, kCompleted, kFailed };

// What an export and an import have in common.
struct TransferDescription {
    std::string arn;
    TransferStatus status = TransferStatus::kInProgress;
    std::int64_t start_millis = 0;
    std::optional<std::int64_t> end_millis;
    std::string table_arn;
    std::string table_id;
    std::string client_token;
    // Tells a repeated request from another one under the same token.
    std::string fingerprint;
    std::string bucket;
    std::string bucket_owner;
    std::string prefix;
    std::string failure_code;
    std::string failure_message;
    std::int64_t size_bytes = 0;
    std::int64_t items = 0;  // exported, or imported
};

struct ExportDescription : TransferDescription {
    std::int64_t export_millis = 0;
    std::string sse_algorithm;
    std::string sse_kms_key_id;
    std::string manifest;  // key of manifest-summary.json
};

struct ImportDescription : TransferDescription {
    std::string format = "DYNAMODB_JSON";  // or CSV
    std::string compression = "NONE";      // or GZIP, ZSTD
    bool has_csv_options = false;
    std::string csv_delimiter = ",";
    std::vector<std::string> csv_header;
    std::string creation_parameters;  // TableCreationParameters, as JSON
    std::int64_t processed = 0;
    std::int64_t errors = 0;
};

struct ExportTableRequest {
    using Reply = ExportDescription;
    ExportDescription wanted;  // what the caller gives; the table's ARN among it
    std::optional<std::int64_t> export_millis;
};
struct DescribeExportRequest {
    using Reply = ExportDescription;
    std::string arn;
};
struct ListExportsReply {
    std::vector<ExportDescription> exports;
    std::optional<std::string> next_token;
};
struct ListExportsRequest {
    using Reply = ListExportsReply;
    std::optional<std::string> table_arn;
    std::size_t limit = 25;
    std::optional<std::string> next_token;
};

struct ImportTableRequest {
    using Reply = ImportDescription;
    ImportDescription wanted;
    CreateTableRequest table;
};
struct DescribeImportRequest {
    using Reply = ImportDescription;
    std::string arn;
};
struct ListImportsReply {
    std::vector<ImportDescription> imports;
    std::optional<std::string> next_token;
};
struct ListImportsRequest {
    using Reply = ListImportsReply;
    std::optional<std::string> table_arn;
    std::size_t limit = 25;
    std::optional<std::string> next_token;
};

// Answers as Dynamo does. Thread-safe.
class Transfers {
public:
    virtual ~Transfers() = default;

    virtual void export_table(ExportTableRequest, Done<ExportTableRequest>) = 0;
    virtual void describe_export(DescribeExportRequest, Done<DescribeExportRequest>) = 0;
    virtual void list_exports(ListExportsRequest, Done<ListExportsRequest>) = 0;
    virtual void import_table(ImportTableRequest, Done<ImportTableRequest>) = 0;
    virtual void describe_import(DescribeImportRequest, Done<DescribeImportRequest>) = 0;
    virtual void list_imports(ListImportsRequest, Done<ListImportsRequest>) = 0;
};

}  // namespace gateleg::dynamo

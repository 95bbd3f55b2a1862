#include "api/dynamodb/transfers_wire.h"

#include "api/dynamodb/read_request.h"
#include "api/dynamodb/write_reply.h"
#include "base/json_writer.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::ExportDescription;
using dynamo::ImportDescription;

constexpr std::size_t kMinArn = 37;
constexpr std::size_t kMaxArn = 1024;
constexpr std::size_t kMaxTableArn = 1024;
constexpr std::size_t kMinBucket = 3;
constexpr std::size_t kMaxBucket = 255;
constexpr std::int64_t kMostListed = 25;

std::string_view status_name(dynamo::TransferStatus status) {
    switch (status) {
        case dynamo::TransferStatus::kInProgress:
            return "IN_PROGRESS";
        case dynamo::TransferStatus::kCompleted:
            return "COMPLETED";
        case dynamo::TransferStatus::kFailed:
            return "FAILED";
    }
    return "FAILED";
}

void write_text(JsonWriter& json, std::string_view member, const std::string& text) {
    if (!text.empty()) {
        json.member(member, text);
    }
}

// The hash of what makes two requests the same.
template <class Description>
void note_fingerprint(const Fields& in, Description& wanted) {
    for (const auto* name :
         {"TableArn",
          "S3Bucket",
          "S3Prefix",
          "ExportFormat",
          "ExportType",
          "S3BucketSource",
          "InputFormat",
          "InputFormatOptions",
          "InputCompressionType",
          "TableCreationParameters"}) {
        if (const auto found = in.find(name)) {
            wanted.fingerprint += simdjson::minify(*found);
        }
        wanted.fingerprint += ";";
    }
}

template <class Request>
Result<void> read_list(const Fields& in, Request& request, std::string_view limit) {
    request.table_arn = in.text("TableArn");
    in.check_range(limit, 1, kMostListed);
    request.limit = static_cast<std::size_t>(in.integer(limit).value_or(kMostListed));
    request.next_token = in.text("NextToken");
    return in.problems().check();
}

void read_csv_options(const Fields& in, ImportDescription& wanted) {
    const auto options = in.object("InputFormatOptions");
    const auto csv = options ? options->object("Csv") : std::nullopt;
    if (!csv) {
        return;
    }
    wanted.has_csv_options = true;
    wanted.csv_delimiter = csv->text("Delimiter").value_or(",");
    if (wanted.csv_delimiter.size() != 1 ||
        std::string_view(",;:|\t ").find(wanted.csv_delimiter[0]) == std::string_view::npos) {
        in.problems().constraint(
            wanted.csv_delimiter,
            csv->path_of("Delimiter"),
            "Member must satisfy regular expression pattern: [,;:|\\t ]"
        );
    }
    if (const auto names = csv->list("HeaderList")) {
        for (const auto name : *names) {
            std::string_view text;
            if (name.get_string().get(text) != simdjson::SUCCESS) {
                in.problems().serialization("Unexpected field type");
                return;
            }
            wanted.csv_header.emplace_back(text);
        }
    }
}

void write_common(JsonWriter& json, const dynamo::TransferDescription& job) {
    write_time(json, "StartTime", job.start_millis);
    if (job.end_millis) {
        write_time(json, "EndTime", *job.end_millis);
    }
    json.member("TableArn", job.table_arn);
    write_text(json, "TableId", job.table_id);
    write_text(json, "ClientToken", job.client_token);
    write_text(json, "FailureCode", job.failure_code);
    write_text(json, "FailureMessage", job.failure_message);
}

void write_next(JsonWriter& json, const std::optional<std::string>& token) {
    if (token) {
        json.member("NextToken", *token);
    }
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::ExportTableRequest& request) {
    auto& wanted = request.wanted;
    wanted.table_arn = in.required_text("TableArn", 1, kMaxTableArn);
    wanted.bucket = in.required_text("S3Bucket", kMinBucket, kMaxBucket);
    wanted.bucket_owner = in.text("S3BucketOwner").value_or("");
    wanted.prefix = in.text("S3Prefix").value_or("");
    wanted.sse_algorithm = in.text("S3SseAlgorithm").value_or("");
    wanted.sse_kms_key_id = in.text("S3SseKmsKeyId").value_or("");
    wanted.client_token = in.text("ClientToken").value_or("");
    const auto ion = in.choice<bool>(
        "ExportFormat", {{"DYNAMODB_JSON", false}, {"ION", true}}, "[DYNAMODB_JSON, ION]"
    );
    const auto incremental = in.choice<bool>(
        "ExportType",
        {{"FULL_EXPORT", false}, {"INCREMENTAL_EXPORT", true}},
        "[FULL_EXPORT, INCREMENTAL_EXPORT]"
    );
    request.export_millis = read_time(in, "ExportTime");
    note_fingerprint(in, wanted);
    GATELEG_TRY(in.problems().check());
    if (ion.value_or(false)) {
        return validation_error("ExportFormat ION is not supported by this server");
    }
    if (incremental.value_or(false)) {
        return validation_error("ExportType INCREMENTAL_EXPORT is not supported by this server");
    }
    return {};
}

Result<void> read_request(const Fields& in, dynamo::DescribeExportRequest& request) {
    request.arn = in.required_text("ExportArn", kMinArn, kMaxArn);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DescribeImportRequest& request) {
    request.arn = in.required_text("ImportArn", kMinArn, kMaxArn);
    return in.problems().check();
}
Result<void> read_request(const Fields& in, dynamo::ListExportsRequest& request) {
    return read_list(in, request, "MaxResults");
}
Result<void> read_request(const Fields& in, dynamo::ListImportsRequest& request) {
    return read_list(in, request, "PageSize");
}

Result<void> read_request(const Fields& in, dynamo::ImportTableRequest& request) {
    auto& wanted = request.wanted;
    wanted.client_token = in.text("ClientToken").value_or("");
    in.require("S3BucketSource");
    if (const auto source = in.object("S3BucketSource")) {
        wanted.bucket = source->required_text("S3Bucket", kMinBucket, kMaxBucket);
        wanted.bucket_owner = source->text("S3BucketOwner").value_or("");
        wanted.prefix = source->text("S3KeyPrefix").value_or("");
    }
    in.require("InputFormat");
    const auto format = in.choice<std::string>(
        "InputFormat",
        {{"DYNAMODB_JSON", "DYNAMODB_JSON"}, {"ION", "ION"}, {"CSV", "CSV"}},
        "[DYNAMODB_JSON, ION, CSV]"
    );
    wanted.format = format.value_or("DYNAMODB_JSON");
    wanted.compression = in.choice<std::string>(
                               "InputCompressionType",
                               {{"GZIP", "GZIP"}, {"ZSTD", "ZSTD"}, {"NONE", "NONE"}},
                               "[GZIP, ZSTD, NONE]"
    )
                             .value_or("NONE");
    read_csv_options(in, wanted);
    in.require("TableCreationParameters");
    note_fingerprint(in, wanted);
    GATELEG_TRY(in.problems().check());
    if (wanted.format == "ION") {
        return validation_error("InputFormat ION is not supported by this server");
    }
    const auto table = in.object("TableCreationParameters");
    wanted.creation_parameters = simdjson::minify(*in.find("TableCreationParameters"));
    return read_request(*table, request.table);
}

void write_reply(std::string& out, const ExportDescription& job) {
    JsonWriter json(out);
    json.begin_object();
    json.key("ExportDescription");
    json.begin_object();
    json.member("ExportArn", job.arn);
    json.member("ExportStatus", status_name(job.status));
    write_common(json, job);
    write_time(json, "ExportTime", job.export_millis);
    json.member("S3Bucket", job.bucket);
    write_text(json, "S3BucketOwner", job.bucket_owner);
    write_text(json, "S3Prefix", job.prefix);
    write_text(json, "S3SseAlgorithm", job.sse_algorithm);
    write_text(json, "S3SseKmsKeyId", job.sse_kms_key_id);
    json.member("ExportFormat", "DYNAMODB_JSON");
    json.member("ExportType", "FULL_EXPORT");
    if (job.status == dynamo::TransferStatus::kCompleted) {
        json.member("ExportManifest", job.manifest);
        json.member("BilledSizeBytes", job.size_bytes);
        json.member("ItemCount", job.items);
    }
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const ImportDescription& job) {
    JsonWriter json(out);
    json.begin_object();
    json.key("ImportTableDescription");
    json.begin_object();
    json.member("ImportArn", job.arn);
    json.member("ImportStatus", status_name(job.status));
    write_common(json, job);
    json.key("S3BucketSource");
    json.begin_object();
    write_text(json, "S3BucketOwner", job.bucket_owner);
    json.member("S3Bucket", job.bucket);
    write_text(json, "S3KeyPrefix", job.prefix);
    json.end_object();
    json.member("ErrorCount", job.errors);
    json.member("InputFormat", job.format);
    if (job.has_csv_options) {
        json.key("InputFormatOptions");
        json.begin_object();
        json.key("Csv");
        json.begin_object();
        json.member("Delimiter", job.csv_delimiter);
        if (!job.csv_header.empty()) {
            json.key("HeaderList");
            json.begin_array();
            for (const auto& name : job.csv_header) {
                json.string(name);
            }
            json.end_array();
        }
        json.end_object();
        json.end_object();
    }
    json.member("InputCompressionType", job.compression);
    json.key("TableCreationParameters");
    json.raw(job.creation_parameters);
    json.member("ProcessedSizeBytes", job.size_bytes);
    json.member("ProcessedItemCount", job.processed);
    json.member("ImportedItemCount", job.items);
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const dynamo::ListExportsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("ExportSummaries");
    json.begin_array();
    for (const auto& job : reply.exports) {
        json.begin_object();
        json.member("ExportArn", job.arn);
        json.member("ExportStatus", status_name(job.status));
        json.member("ExportType", "FULL_EXPORT");
        json.end_object();
    }
    json.end_array();
    write_next(json, reply.next_token);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::ListImportsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("ImportSummaryList");
    json.begin_array();
    for (const auto& job : reply.imports) {
        json.begin_object();
        json.member("ImportArn", job.arn);
        json.member("ImportStatus", status_name(job.status));
        json.member("TableArn", job.table_arn);
        json.key("S3BucketSource");
        json.begin_object();
        json.member("S3Bucket", job.bucket);
        write_text(json, "S3KeyPrefix", job.prefix);
        json.end_object();
        json.member("InputFormat", job.format);
        write_time(json, "StartTime", job.start_millis);
        if (job.end_millis) {
            write_time(json, "EndTime", *job.end_millis);
        }
        json.end_object();
    }
    json.end_array();
    write_next(json, reply.next_token);
    json.end_object();
}

}  // namespace gateleg::api::dynamodb

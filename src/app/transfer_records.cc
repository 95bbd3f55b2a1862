#include "app/transfer_records.h"

#include "base/json_writer.h"
#include "transfer/json_members.h"

namespace gateleg::app {
namespace {

using dynamo::TransferStatus;
using transfer::JsonMembers;

void write_common(JsonWriter& json, const dynamo::TransferDescription& job) {
    json.member("arn", job.arn);
    json.member("status", static_cast<int>(job.status));
    json.member("start", job.start_millis);
    json.member("end", job.end_millis.value_or(0));
    json.member("tableArn", job.table_arn);
    json.member("tableId", job.table_id);
    json.member("token", job.client_token);
    json.member("fingerprint", job.fingerprint);
    json.member("bucket", job.bucket);
    json.member("owner", job.bucket_owner);
    json.member("prefix", job.prefix);
    json.member("failureCode", job.failure_code);
    json.member("failureMessage", job.failure_message);
    json.member("size", job.size_bytes);
    json.member("items", job.items);
}

Result<void> read_common(const JsonMembers& in, dynamo::TransferDescription& job) {
    GATELEG_TRY_ASSIGN(job.arn, in.required_text("arn"));
    GATELEG_TRY_ASSIGN(const auto status, in.required_count("status"));
    job.status = status > static_cast<int>(TransferStatus::kFailed)
                     ? TransferStatus::kFailed
                     : static_cast<TransferStatus>(status);
    GATELEG_TRY_ASSIGN(job.start_millis, in.required_count("start"));
    GATELEG_TRY_ASSIGN(const auto end, in.required_count("end"));
    if (end != 0) {
        job.end_millis = end;
    }
    GATELEG_TRY_ASSIGN(job.table_arn, in.required_text("tableArn"));
    GATELEG_TRY_ASSIGN(job.table_id, in.required_text("tableId"));
    GATELEG_TRY_ASSIGN(job.client_token, in.required_text("token"));
    GATELEG_TRY_ASSIGN(job.fingerprint, in.required_text("fingerprint"));
    GATELEG_TRY_ASSIGN(job.bucket, in.required_text("bucket"));
    GATELEG_TRY_ASSIGN(job.bucket_owner, in.required_text("owner"));
    GATELEG_TRY_ASSIGN(job.prefix, in.required_text("prefix"));
    GATELEG_TRY_ASSIGN(job.failure_code, in.required_text("failureCode"));
    GATELEG_TRY_ASSIGN(job.failure_message, in.required_text("failureMessage"));
    GATELEG_TRY_ASSIGN(job.size_bytes, in.required_count("size"));
    GATELEG_TRY_ASSIGN(job.items, in.required_count("items"));
    return {};
}

Result<dynamo::ExportDescription> read_export(const JsonMembers& in) {
    dynamo::ExportDescription job;
    GATELEG_TRY(read_common(in, job));
    GATELEG_TRY_ASSIGN(job.export_millis, in.required_count("exportTime"));
    GATELEG_TRY_ASSIGN(job.sse_algorithm, in.required_text("sse"));
    GATELEG_TRY_ASSIGN(job.sse_kms_key_id, in.required_text("sseKey"));
    GATELEG_TRY_ASSIGN(job.manifest, in.required_text("manifest"));
    return job;
}

Result<dynamo::ImportDescription> read_import(const JsonMembers& in) {
    dynamo::ImportDescription job;
    GATELEG_TRY(read_common(in, job));
    GATELEG_TRY_ASSIGN(job.format, in.required_text("format"));
    GATELEG_TRY_ASSIGN(job.compression, in.required_text("compression"));
    GATELEG_TRY_ASSIGN(job.has_csv_options, in.required_flag("csv"));
    GATELEG_TRY_ASSIGN(job.csv_delimiter, in.required_text("delimiter"));
    GATELEG_TRY_ASSIGN(const auto header, in.required_list("header"));
    for (const auto& each : header) {
        GATELEG_TRY_ASSIGN(auto name, each.required_text("name"));
        job.csv_header.push_back(std::move(name));
    }
    GATELEG_TRY_ASSIGN(job.creation_parameters, in.required_text("creation"));
    GATELEG_TRY_ASSIGN(job.processed, in.required_count("processed"));
    GATELEG_TRY_ASSIGN(job.errors, in.required_count("errors"));
    return job;
}

}  // namespace

std::string render_records(
    const std::vector<dynamo::ExportDescription>& exports,
    const std::vector<dynamo::ImportDescription>& imports
) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("exports");
    json.begin_array();
    for (const auto& job : exports) {
        json.begin_object();
        write_common(json, job);
        json.member("exportTime", job.export_millis);
        json.member("sse", job.sse_algorithm);
        json.member("sseKey", job.sse_kms_key_id);
        json.member("manifest", job.manifest);
        json.end_object();
    }
    json.end_array();
    json.key("imports");
    json.begin_array();
    for (const auto& job : imports) {
        json.begin_object();
        write_common(json, job);
        json.member("format", job.format);
        json.member("compression", job.compression);
        json.member("csv", job.has_csv_options);
        json.member("delimiter", job.csv_delimiter);
        json.key("header");
        json.begin_array();
        for (const auto& name : job.csv_header) {
            json.begin_object();
            json.member("name", name);
            json.end_object();
        }
        json.end_array();
        json.member("creation", job.creation_parameters);
        json.member("processed", job.processed);
        json.member("errors", job.errors);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return out + "\n";
}

Result<TransferRecords> parse_records(std::string_view text) {
    GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(text));
    TransferRecords records;
    GATELEG_TRY_ASSIGN(const auto exports, members.required_list("exports"));
    for (const auto& each : exports) {
        GATELEG_TRY_ASSIGN(auto job, read_export(each));
        records.exports.push_back(std::move(job));
    }
    GATELEG_TRY_ASSIGN(const auto imports, members.required_list("imports"));
    for (const auto& each : imports) {
        GATELEG_TRY_ASSIGN(auto job, read_import(each));
        records.imports.push_back(std::move(job));
    }
    return records;
}

}  // namespace gateleg::app

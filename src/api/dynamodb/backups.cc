#include "api/dynamodb/backups.h"

#include "api/dynamodb/read_request.h"
#include "api/dynamodb/read_schema.h"
#include "api/dynamodb/write_reply.h"
#include "base/json_writer.h"
#include "dynamo/schema_json.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::BackupDescription;

constexpr std::size_t kMinArnLength = 37;
constexpr std::size_t kMaxArnLength = 1024;

std::string_view status_name(dynamo::BackupStatus status) {
    switch (status) {
        case dynamo::BackupStatus::kCreating:
            return "CREATING";
        case dynamo::BackupStatus::kAvailable:
            return "AVAILABLE";
        case dynamo::BackupStatus::kDeleted:
            return "DELETED";
    }
    return "AVAILABLE";
}

void write_details(JsonWriter& json, const BackupDescription& backup) {
    json.member("BackupArn", backup.arn);
    json.member("BackupName", backup.name);
    json.member("BackupSizeBytes", backup.table.size_bytes);
    json.member("BackupStatus", status_name(backup.status));
    json.member("BackupType", "USER");
    write_time(json, "BackupCreationDateTime", backup.created_millis);
}

void write_indexes(
    JsonWriter& json, std::string_view member, const std::vector<dynamo::IndexDescription>& indexes
) {
    if (indexes.empty()) {
        return;
    }
    json.key(member);
    json.begin_array();
    for (const auto& index : indexes) {
        json.begin_object();
        dynamo::write_index_shape(json, index.definition);
        json.end_object();
    }
    json.end_array();
}

void write_source(JsonWriter& json, const BackupDescription& backup) {
    const auto& table = backup.table;
    json.key("SourceTableDetails");
    json.begin_object();
    json.member("TableName", table.name);
    json.member("TableId", table.id);
    json.member("TableArn", table.arn);
    json.member("TableSizeBytes", table.size_bytes);
    json.member("ItemCount", table.item_count);
    dynamo::write_key_schema(json, table.key_schema);
    write_time(json, "TableCreationDateTime", table.created_millis);
    json.key("ProvisionedThroughput");
    json.begin_object();
    json.member("ReadCapacityUnits", table.throughput.read_units);
    json.member("WriteCapacityUnits", table.throughput.write_units);
    json.end_object();
    json.member(
        "BillingMode",
        table.billing_mode == dynamo::BillingMode::kProvisioned ? "PROVISIONED" : "PAY_PER_REQUEST"
    );
    json.end_object();
    json.key("SourceTableFeatureDetails");
    json.begin_object();
    write_indexes(json, "LocalSecondaryIndexes", table.local_indexes);
    write_indexes(json, "GlobalSecondaryIndexes", table.global_indexes);
    if (backup.ttl_attribute) {
        json.key("TimeToLiveDescription");
        json.begin_object();
        json.member("AttributeName", *backup.ttl_attribute);
        json.member("TimeToLiveStatus", "ENABLED");
        json.end_object();
    }
    json.end_object();
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::CreateBackupRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_table_name(in));
    request.name = in.required_text("BackupName", 3);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DescribeBackupRequest& request) {
    request.arn = in.required_text("BackupArn", kMinArnLength, kMaxArnLength);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DeleteBackupRequest& request) {
    request.arn = in.required_text("BackupArn", kMinArnLength, kMaxArnLength);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::ListBackupsRequest& request) {
    constexpr std::int64_t kMaxLimit = 100;
    if (in.has("TableName")) {
        GATELEG_TRY_ASSIGN(request.table, read_table_name(in));
    }
    in.check_range("Limit", 1, kMaxLimit);
    request.limit = static_cast<std::size_t>(in.integer("Limit").value_or(kMaxLimit));
    request.from_millis = read_time(in, "TimeRangeLowerBound");
    request.until_millis = read_time(in, "TimeRangeUpperBound");
    if (request.from_millis && request.until_millis &&
        *request.from_millis > *request.until_millis) {
        in.problems().later(validation_error(
            "One or more parameter values were invalid: Time range lower bound must be less than "
            "or equal to upper bound"
        ));
    }
    request.exclusive_start_arn = in.text("ExclusiveStartBackupArn");
    const auto wants_users = in.choice<bool>(
        "BackupType",
        {{"USER", true}, {"ALL", true}, {"SYSTEM", false}, {"AWS_BACKUP", false}},
        "[USER, SYSTEM, AWS_BACKUP, ALL]"
    );
    if (!wants_users.value_or(true)) {
        // Nobody but users makes backups here.
        request.until_millis = 0;
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::RestoreTableFromBackupRequest& request) {
    request.backup_arn = in.required_text("BackupArn", kMinArnLength, kMaxArnLength);
    request.table = in.required_text("TargetTableName", 3);
    if (request.table.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_.-") != std::string::npos) {
        in.problems().constraint(
            request.table,
            in.path_of("TargetTableName"),
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        );
    }
    request.billing_mode = read_billing_mode(in, "BillingModeOverride");
    request.throughput = read_throughput(in, "ProvisionedThroughputOverride");
    request.on_demand = read_on_demand(in, "OnDemandThroughputOverride");
    request.encryption = read_encryption(in, "SSESpecificationOverride");
    request.global_indexes = read_indexes(in, "GlobalSecondaryIndexOverride", true);
    request.local_indexes = read_indexes(in, "LocalSecondaryIndexOverride", false);
    return in.problems().check();
}

void write_backup_details(std::string& out, const BackupDescription& backup) {
    JsonWriter json(out);
    json.begin_object();
    json.key("BackupDetails");
    json.begin_object();
    write_details(json, backup);
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const BackupDescription& backup) {
    JsonWriter json(out);
    json.begin_object();
    json.key("BackupDescription");
    json.begin_object();
    json.key("BackupDetails");
    json.begin_object();
    write_details(json, backup);
    json.end_object();
    write_source(json, backup);
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const dynamo::ListBackupsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("BackupSummaries");
    json.begin_array();
    for (const auto& backup : reply.backups) {
        json.begin_object();
        json.member("TableName", backup.table.name);
        json.member("TableId", backup.table.id);
        json.member("TableArn", backup.table.arn);
        write_details(json, backup);
        json.end_object();
    }
    json.end_array();
    if (reply.last_evaluated_arn) {
        json.member("LastEvaluatedBackupArn", *reply.last_evaluated_arn);
    }
    json.end_object();
}

}  // namespace gateleg::api::dynamodb

#include <cstdio>

#include "api/dynamodb/write_reply.h"
#include "base/json_writer.h"
#include "dynamo/schema_json.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::BillingMode;
using dynamo::Status;

std::string_view status_name(Status status) {
    switch (status) {
        case Status::kCreating:
            return "CREATING";
        case Status::kUpdating:
            return "UPDATING";
        case Status::kDeleting:
            return "DELETING";
        case Status::kActive:
            return "ACTIVE";
    }
    return "ACTIVE";
}

void write_throughput(JsonWriter& json, const dynamo::Throughput& throughput) {
    json.key("ProvisionedThroughput");
    json.begin_object();
    json.member("NumberOfDecreasesToday", 0);
    json.member("ReadCapacityUnits", throughput.read_units);
    json.member("WriteCapacityUnits", throughput.write_units);
    json.end_object();
}

void write_on_demand(JsonWriter& json, const std::optional<dynamo::OnDemandThroughput>& limits) {
    if (!limits) {
        return;
    }
    json.key("OnDemandThroughput");
    json.begin_object();
    if (limits->max_read_units) {
        json.member("MaxReadRequestUnits", *limits->max_read_units);
    }
    if (limits->max_write_units) {
        json.member("MaxWriteRequestUnits", *limits->max_write_units);
    }
    json.end_object();
}

void write_warm(JsonWriter& json, const std::optional<dynamo::Throughput>& warm, bool updating) {
    if (!warm) {
        return;
    }
    json.key("WarmThroughput");
    json.begin_object();
    json.member("ReadUnitsPerSecond", warm->read_units);
    json.member("WriteUnitsPerSecond", warm->write_units);
    json.member("Status", updating ? "UPDATING" : "ACTIVE");
    json.end_object();
}

void write_index(JsonWriter& json, const dynamo::IndexDescription& index, bool global) {
    json.begin_object();
    dynamo::write_index_shape(json, index.definition);
    if (global) {
        json.member("IndexStatus", status_name(index.status));
        if (index.backfilling) {
            json.member("Backfilling", true);
        }
        write_throughput(json, index.definition.throughput.value_or(dynamo::Throughput{}));
        write_on_demand(json, index.definition.on_demand);
        write_warm(json, index.warm, index.warm_updating);
    }
    json.member("IndexSizeBytes", index.size_bytes);
    json.member("ItemCount", index.item_count);
    json.member("IndexArn", index.arn);
    json.end_object();
}

void write_indexes(
    JsonWriter& json,
    std::string_view member,
    const std::vector<dynamo::IndexDescription>& indexes,
    bool global
) {
    if (indexes.empty()) {
        return;
    }
    json.key(member);
    json.begin_array();
    for (const auto& index : indexes) {
        write_index(json, index, global);
    }
    json.end_array();
}

void write_billing(JsonWriter& json, const dynamo::TableDescription& table) {
    write_throughput(json, table.throughput);
    write_on_demand(json, table.on_demand);
    write_warm(json, table.warm, table.warm_updating);
    if (!table.on_demand_since_millis) {
        return;
    }
    json.key("BillingModeSummary");
    json.begin_object();
    json.member(
        "BillingMode",
        table.billing_mode == BillingMode::kPayPerRequest ? "PAY_PER_REQUEST" : "PROVISIONED"
    );
    write_time(json, "LastUpdateToPayPerRequestDateTime", *table.on_demand_since_millis);
    json.end_object();
}

void write_settings(JsonWriter& json, const dynamo::TableDescription& table) {
    json.member("DeletionProtectionEnabled", table.deletion_protection);
    if (table.table_class) {
        json.key("TableClassSummary");
        json.begin_object();
        json.member(
            "TableClass",
            *table.table_class == dynamo::TableClass::kStandard ? "STANDARD"
                                                                : "STANDARD_INFREQUENT_ACCESS"
        );
        json.end_object();
    }
    if (table.encryption && table.encryption->enabled) {
        json.key("SSEDescription");
        json.begin_object();
        json.member("Status", "ENABLED");
        json.member("SSEType", "KMS");
        if (!table.encryption->key_id.empty()) {
            json.member("KMSMasterKeyArn", table.encryption->key_id);
        }
        json.end_object();
    }
}

void write_stream(JsonWriter& json, const dynamo::TableDescription& table) {
    if (table.stream_view) {
        json.key("StreamSpecification");
        json.begin_object();
        json.member("StreamEnabled", true);
        json.member("StreamViewType", dynamo::stream_view_name(*table.stream_view));
        json.end_object();
    }
    if (!table.latest_stream_arn.empty()) {
        json.member("LatestStreamLabel", table.latest_stream_label);
        json.member("LatestStreamArn", table.latest_stream_arn);
    }
}

}  // namespace

void write_time(JsonWriter& json, std::string_view member, std::int64_t millis) {
    char text[32];
    std::snprintf(
        text,
        sizeof text,
        "%lld.%03lld",
        static_cast<long long>(millis / 1000),
        static_cast<long long>(millis % 1000)
    );
    json.key(member);
    json.raw(text);
}

void write_table(std::string& out, std::string_view member, const dynamo::TableDescription& table) {
    JsonWriter json(out);
    json.begin_object();
    json.key(member);
    json.begin_object();
    dynamo::write_attribute_definitions(json, table.attributes);
    json.member("TableName", table.name);
    dynamo::write_key_schema(json, table.key_schema);
    json.member("TableStatus", status_name(table.status));
    write_time(json, "CreationDateTime", table.created_millis);
    write_billing(json, table);
    json.member("TableSizeBytes", table.size_bytes);
    json.member("ItemCount", table.item_count);
    json.member("TableArn", table.arn);
    json.member("TableId", table.id);
    write_indexes(json, "LocalSecondaryIndexes", table.local_indexes, false);
    write_indexes(json, "GlobalSecondaryIndexes", table.global_indexes, true);
    write_settings(json, table);
    write_stream(json, table);
    json.end_object();
    json.end_object();
}

}  // namespace gateleg::api::dynamodb

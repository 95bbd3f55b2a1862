#include "dynamo/schema_json.h"
#include "remote/encode_request.h"
#include "remote/internal/encode_parts.h"

namespace gateleg::remote {
namespace {

using dynamo::BillingMode;
using dynamo::TableClass;

void encode_throughput(
    JsonWriter& json,
    const std::optional<dynamo::Throughput>& throughput,
    const std::optional<dynamo::OnDemandThroughput>& on_demand,
    const std::optional<dynamo::WarmThroughput>& warm
) {
    if (throughput) {
        json.key("ProvisionedThroughput");
        json.begin_object();
        json.member("ReadCapacityUnits", throughput->read_units);
        json.member("WriteCapacityUnits", throughput->write_units);
        json.end_object();
    }
    if (on_demand) {
        json.key("OnDemandThroughput");
        json.begin_object();
        if (on_demand->max_read_units) {
            json.member("MaxReadRequestUnits", *on_demand->max_read_units);
        }
        if (on_demand->max_write_units) {
            json.member("MaxWriteRequestUnits", *on_demand->max_write_units);
        }
        json.end_object();
    }
    if (warm) {
        json.key("WarmThroughput");
        json.begin_object();
        if (warm->read_units) {
            json.member("ReadUnitsPerSecond", *warm->read_units);
        }
        if (warm->write_units) {
            json.member("WriteUnitsPerSecond", *warm->write_units);
        }
        json.end_object();
    }
}

void encode_index(JsonWriter& json, const dynamo::IndexDefinition& index) {
    json.begin_object();
    dynamo::write_index_shape(json, index);
    encode_throughput(json, index.throughput, index.on_demand, index.warm);
    json.end_object();
}

void encode_indexes(
    JsonWriter& json,
    std::string_view member,
    const std::optional<std::vector<dynamo::IndexDefinition>>& indexes
) {
    if (!indexes) {
        return;
    }
    json.key(member);
    json.begin_array();
    for (const auto& index : *indexes) {
        encode_index(json, index);
    }
    json.end_array();
}

// What CreateTable and UpdateTable both set.
template <class Request>
void encode_settings(JsonWriter& json, const Request& request) {
    if (request.billing_mode) {
        json.member(
            "BillingMode",
            *request.billing_mode == BillingMode::kProvisioned ? "PROVISIONED" : "PAY_PER_REQUEST"
        );
    }
    encode_throughput(json, request.throughput, request.on_demand, request.warm);
    if (request.table_class) {
        json.member(
            "TableClass",
            *request.table_class == TableClass::kStandard ? "STANDARD"
                                                          : "STANDARD_INFREQUENT_ACCESS"
        );
    }
    if (request.encryption) {
        json.key("SSESpecification");
        json.begin_object();
        json.member("Enabled", request.encryption->enabled);
        if (request.encryption->enabled) {
            json.member("SSEType", "KMS");
        }
        if (!request.encryption->key_id.empty()) {
            json.member("KMSMasterKeyId", request.encryption->key_id);
        }
        json.end_object();
    }
    if (request.stream) {
        json.key("StreamSpecification");
        json.begin_object();
        json.member("StreamEnabled", request.stream->enabled);
        if (request.stream->view) {
            json.member("StreamViewType", dynamo::stream_view_name(*request.stream->view));
        }
        json.end_object();
    }
}

void encode_index_update(
    JsonWriter& json, const dynamo::UpdateTableRequest::IndexUpdate& index_update
) {
    json.begin_object();
    if (index_update.create) {
        json.key("Create");
        encode_index(json, *index_update.create);
    } else if (index_update.update) {
        json.key("Update");
        json.begin_object();
        const auto& update = *index_update.update;
        json.member("IndexName", update.name);
        encode_throughput(json, update.throughput, update.on_demand, update.warm);
        json.end_object();
    } else if (index_update.remove) {
        json.key("Delete");
        json.begin_object();
        json.member("IndexName", *index_update.remove);
        json.end_object();
    }
    json.end_object();
}

void encode_tags(JsonWriter& json, const dynamo::Tags& tags) {
    json.key("Tags");
    json.begin_array();
    for (const auto& [key, text] : tags) {
        json.begin_object();
        json.member("Key", key);
        json.member("Value", text);
        json.end_object();
    }
    json.end_array();
}

void encode_table_name_only(std::string& out, const std::string& table) {
    JsonWriter json(out);
    json.begin_object();
    json.member("TableName", table);
    json.end_object();
}

}  // namespace

void encode_request(std::string& out, const dynamo::CreateTableRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("TableName", request.table);
    dynamo::write_attribute_definitions(json, request.attributes);
    dynamo::write_key_schema(json, request.key_schema);
    encode_indexes(json, "LocalSecondaryIndexes", request.local_indexes);
    encode_indexes(json, "GlobalSecondaryIndexes", request.global_indexes);
    encode_settings(json, request);
    if (request.deletion_protection) {
        json.member("DeletionProtectionEnabled", true);
    }
    if (!request.tags.empty()) {
        encode_tags(json, request.tags);
    }
    internal::encode_text(json, "ResourcePolicy", request.resource_policy);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::UpdateTableRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("TableName", request.table);
    if (!request.attributes.empty()) {
        dynamo::write_attribute_definitions(json, request.attributes);
    }
    encode_settings(json, request);
    if (request.deletion_protection) {
        json.member("DeletionProtectionEnabled", *request.deletion_protection);
    }
    if (request.index_updates) {
        json.key("GlobalSecondaryIndexUpdates");
        json.begin_array();
        for (const auto& each : *request.index_updates) {
            encode_index_update(json, each);
        }
        json.end_array();
    }
    json.end_object();
}

void encode_request(std::string& out, const dynamo::DescribeTableRequest& request) {
    encode_table_name_only(out, request.table);
}

void encode_request(std::string& out, const dynamo::DeleteTableRequest& request) {
    encode_table_name_only(out, request.table);
}

void encode_request(std::string& out, const dynamo::ListTablesRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    internal::encode_text(json, "ExclusiveStartTableName", request.exclusive_start);
    json.member("Limit", request.limit);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::UpdateTimeToLiveRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("TableName", request.table);
    json.key("TimeToLiveSpecification");
    json.begin_object();
    json.member("AttributeName", request.specification.attribute);
    json.member("Enabled", request.specification.enabled);
    json.end_object();
    json.end_object();
}

void encode_request(std::string& out, const dynamo::DescribeTimeToLiveRequest& request) {
    encode_table_name_only(out, request.table);
}

void encode_request(std::string& out, const dynamo::TagResourceRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("ResourceArn", request.arn);
    encode_tags(json, request.tags);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::UntagResourceRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("ResourceArn", request.arn);
    json.key("TagKeys");
    json.begin_array();
    for (const auto& key : request.keys) {
        json.string(key);
    }
    json.end_array();
    json.end_object();
}

void encode_request(std::string& out, const dynamo::ListTagsOfResourceRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("ResourceArn", request.arn);
    internal::encode_text(json, "NextToken", request.next_token);
    json.end_object();
}

}  // namespace gateleg::remote

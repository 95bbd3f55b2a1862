#include "remote/encode_request.h"
#include "remote/internal/encode_parts.h"
#include "value/json_codec.h"

namespace gateleg::remote {
namespace internal {

void encode_text(
    JsonWriter& json, std::string_view member, const std::optional<std::string>& text
) {
    if (text) {
        json.member(member, *text);
    }
}

void encode_item(JsonWriter& json, std::string_view member, const value::EncodedItem& item) {
    json.key(member);
    value::append_json_map(json.value_sink(), item.view());
}

void encode_names(JsonWriter& json, const dynamo::Placeholders& placeholders) {
    if (!placeholders.names) {
        return;
    }
    json.key("ExpressionAttributeNames");
    json.begin_object();
    for (const auto& [placeholder, name] : *placeholders.names) {
        json.member(placeholder, name);
    }
    json.end_object();
}

void encode_placeholders(JsonWriter& json, const dynamo::Placeholders& placeholders) {
    encode_names(json, placeholders);
    if (placeholders.values) {
        encode_item(json, "ExpressionAttributeValues", *placeholders.values);
    }
}

void encode_return_capacity(JsonWriter& json, dynamo::ReturnCapacity wanted) {
    switch (wanted) {
        case dynamo::ReturnCapacity::kNone:
            return;
        case dynamo::ReturnCapacity::kTotal:
            json.member("ReturnConsumedCapacity", "TOTAL");
            return;
        case dynamo::ReturnCapacity::kIndexes:
            json.member("ReturnConsumedCapacity", "INDEXES");
            return;
    }
}

void encode_return_collection_metrics(JsonWriter& json, bool wanted) {
    if (wanted) {
        json.member("ReturnItemCollectionMetrics", "SIZE");
    }
}

void encode_item_write(JsonWriter& json, const dynamo::ItemWrite& write) {
    json.member("TableName", write.table);
    encode_text(json, "ConditionExpression", write.condition);
    encode_placeholders(json, write.placeholders);
    if (write.return_old_on_failure) {
        json.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    }
}

}  // namespace internal

namespace {

using dynamo::ReturnValues;

void encode_options(JsonWriter& json, const dynamo::ItemWriteOptions& options) {
    switch (options.return_values) {
        case ReturnValues::kNone:
            break;
        case ReturnValues::kAllOld:
            json.member("ReturnValues", "ALL_OLD");
            break;
        case ReturnValues::kUpdatedOld:
            json.member("ReturnValues", "UPDATED_OLD");
            break;
        case ReturnValues::kAllNew:
            json.member("ReturnValues", "ALL_NEW");
            break;
        case ReturnValues::kUpdatedNew:
            json.member("ReturnValues", "UPDATED_NEW");
            break;
    }
    internal::encode_return_capacity(json, options.return_capacity);
    internal::encode_return_collection_metrics(json, options.return_collection_metrics);
}

}  // namespace

void encode_request(std::string& out, const dynamo::GetItemRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.member("TableName", request.table);
    internal::encode_item(json, "Key", request.key);
    internal::encode_text(json, "ProjectionExpression", request.projection);
    internal::encode_placeholders(json, request.placeholders);
    if (request.consistent_read) {
        json.member("ConsistentRead", true);
    }
    internal::encode_return_capacity(json, request.return_capacity);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::PutItemRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    internal::encode_item_write(json, request.write);
    internal::encode_item(json, "Item", request.item);
    encode_options(json, request.options);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::UpdateItemRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    internal::encode_item_write(json, request.write);
    internal::encode_item(json, "Key", request.key);
    internal::encode_text(json, "UpdateExpression", request.update);
    encode_options(json, request.options);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::DeleteItemRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    internal::encode_item_write(json, request.write);
    internal::encode_item(json, "Key", request.key);
    encode_options(json, request.options);
    json.end_object();
}

}  // namespace gateleg::remote

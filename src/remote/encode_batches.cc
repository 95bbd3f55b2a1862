#include "remote/encode_request.h"
#include "remote/internal/encode_parts.h"
#include "value/json_codec.h"

namespace gateleg::remote {
namespace {

using dynamo::TransactAction;

void encode_keys(JsonWriter& json, const dynamo::KeysAndAttributes& wanted) {
    json.begin_object();
    json.key("Keys");
    json.begin_array();
    for (const auto& key : wanted.keys) {
        value::append_json_map(json.value_sink(), key.view());
    }
    json.end_array();
    internal::encode_text(json, "ProjectionExpression", wanted.projection);
    internal::encode_names(json, wanted.placeholders);
    if (wanted.consistent_read) {
        json.member("ConsistentRead", true);
    }
    json.end_object();
}

void encode_write(JsonWriter& json, const dynamo::BatchWriteItemRequest::Write& write) {
    json.begin_object();
    json.key(write.is_delete ? "DeleteRequest" : "PutRequest");
    json.begin_object();
    internal::encode_item(json, write.is_delete ? "Key" : "Item", write.item);
    json.end_object();
    json.end_object();
}

std::string_view action_name(TransactAction kind) {
    switch (kind) {
        case TransactAction::kConditionCheck:
            return "ConditionCheck";
        case TransactAction::kPut:
            return "Put";
        case TransactAction::kUpdate:
            return "Update";
        case TransactAction::kDelete:
            return "Delete";
    }
    return "ConditionCheck";
}

void encode_action(JsonWriter& json, const dynamo::TransactWriteItemsRequest::Action& action) {
    json.begin_object();
    json.key(action_name(action.kind));
    json.begin_object();
    internal::encode_item_write(json, action.write);
    internal::encode_item(json, action.kind == TransactAction::kPut ? "Item" : "Key", action.item);
    internal::encode_text(json, "UpdateExpression", action.update);
    json.end_object();
    json.end_object();
}

}  // namespace

void encode_request(std::string& out, const dynamo::BatchGetItemRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.key("RequestItems");
    json.begin_object();
    for (const auto& wanted : request.tables) {
        json.key(wanted.table);
        encode_keys(json, wanted);
    }
    json.end_object();
    internal::encode_return_capacity(json, request.return_capacity);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::BatchWriteItemRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.key("RequestItems");
    json.begin_object();
    for (const auto& table : request.tables) {
        json.key(table.name);
        json.begin_array();
        for (const auto& write : table.writes) {
            encode_write(json, write);
        }
        json.end_array();
    }
    json.end_object();
    internal::encode_return_capacity(json, request.return_capacity);
    internal::encode_return_collection_metrics(json, request.return_collection_metrics);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::TransactGetItemsRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.key("TransactItems");
    json.begin_array();
    for (const auto& get : request.gets) {
        json.begin_object();
        json.key("Get");
        json.begin_object();
        json.member("TableName", get.table);
        internal::encode_item(json, "Key", get.key);
        internal::encode_text(json, "ProjectionExpression", get.projection);
        internal::encode_placeholders(json, get.placeholders);
        json.end_object();
        json.end_object();
    }
    json.end_array();
    internal::encode_return_capacity(json, request.return_capacity);
    json.end_object();
}

void encode_request(std::string& out, const dynamo::TransactWriteItemsRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    json.key("TransactItems");
    json.begin_array();
    for (const auto& action : request.actions) {
        encode_action(json, action);
    }
    json.end_array();
    internal::encode_text(json, "ClientRequestToken", request.client_request_token);
    internal::encode_return_capacity(json, request.return_capacity);
    internal::encode_return_collection_metrics(json, request.return_collection_metrics);
    json.end_object();
}

}  // namespace gateleg::remote

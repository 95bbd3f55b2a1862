#include "api/dynamodb/write_reply.h"

#include "api/dynamodb/legacy.h"
#include "api/dynamodb/write_parts.h"
#include "base/json_writer.h"
#include "dynamo/named_error.h"
#include "value/json_codec.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::ConsumedCapacity;

void write_units(JsonWriter& json, double units, ConsumedCapacity::Kind kind) {
    json.begin_object();
    if (kind == ConsumedCapacity::Kind::kTransactRead) {
        json.member("ReadCapacityUnits", units);
    } else if (kind == ConsumedCapacity::Kind::kTransactWrite) {
        json.member("WriteCapacityUnits", units);
    }
    json.member("CapacityUnits", units);
    json.end_object();
}

void write_index_units(
    JsonWriter& json,
    std::string_view member,
    const std::map<std::string, double>& indexes,
    ConsumedCapacity::Kind kind
) {
    if (indexes.empty()) {
        return;
    }
    json.key(member);
    json.begin_object();
    for (const auto& [name, units] : indexes) {
        json.key(name);
        write_units(json, units, kind);
    }
    json.end_object();
}

void write_capacity(JsonWriter& json, const ConsumedCapacity& capacity) {
    json.begin_object();
    json.member("TableName", capacity.table);
    json.member("CapacityUnits", capacity.units);
    if (capacity.kind == ConsumedCapacity::Kind::kTransactRead) {
        json.member("ReadCapacityUnits", capacity.units);
    } else if (capacity.kind == ConsumedCapacity::Kind::kTransactWrite) {
        json.member("WriteCapacityUnits", capacity.units);
    }
    if (capacity.show_indexes) {
        json.key("Table");
        write_units(json, capacity.table_units, capacity.kind);
        write_index_units(json, "LocalSecondaryIndexes", capacity.local_indexes, capacity.kind);
        write_index_units(json, "GlobalSecondaryIndexes", capacity.global_indexes, capacity.kind);
    }
    json.end_object();
}

void write_metrics(JsonWriter& json, const dynamo::ItemCollectionMetrics& metrics) {
    json.begin_object();
    json.key("ItemCollectionKey");
    write_item(json, metrics.key.view());
    json.key("SizeEstimateRangeGB");
    json.begin_array();
    json.number(metrics.size_gb_lower);
    json.number(metrics.size_gb_upper);
    json.end_array();
    json.end_object();
}

template <class ByTable>
void write_metrics_member(JsonWriter& json, const ByTable& by_table) {
    if (by_table.empty()) {
        return;
    }
    json.key("ItemCollectionMetrics");
    json.begin_object();
    for (const auto& [table, list] : by_table) {
        json.key(table);
        json.begin_array();
        for (const auto& metrics : list) {
            write_metrics(json, metrics);
        }
        json.end_array();
    }
    json.end_object();
}

void write_projection(JsonWriter& json, const dynamo::KeysAndAttributes& left) {
    if (is_translated(left)) {
        json.key("AttributesToGet");
        json.begin_array();
        for (const auto& [placeholder, name] : *left.placeholders.names) {
            json.string(name);
        }
        json.end_array();
        return;
    }
    if (left.projection) {
        json.member("ProjectionExpression", *left.projection);
    }
    if (left.placeholders.names) {
        json.key("ExpressionAttributeNames");
        json.begin_object();
        for (const auto& [placeholder, name] : *left.placeholders.names) {
            json.member(placeholder, name);
        }
        json.end_object();
    }
}

void write_unprocessed(JsonWriter& json, const dynamo::KeysAndAttributes& left) {
    json.begin_object();
    json.key("Keys");
    json.begin_array();
    for (const auto& key : left.keys) {
        write_item(json, key.view());
    }
    json.end_array();
    write_projection(json, left);
    if (left.consistent_read) {
        json.member("ConsistentRead", true);
    }
    json.end_object();
}

void write_unprocessed(JsonWriter& json, const dynamo::TableWrites& left) {
    json.begin_array();
    for (const auto& write : left.writes) {
        json.begin_object();
        json.key(write.is_delete ? "DeleteRequest" : "PutRequest");
        json.begin_object();
        json.key(write.is_delete ? "Key" : "Item");
        write_item(json, write.item.view());
        json.end_object();
        json.end_object();
    }
    json.end_array();
}

void write_reasons(JsonWriter& json, const dynamo::CancellationReasons& detail) {
    json.key("CancellationReasons");
    json.begin_array();
    for (const auto& reason : detail.reasons) {
        json.begin_object();
        json.member("Code", reason.code);
        if (!reason.message.empty()) {
            json.member("Message", reason.message);
        }
        if (reason.item) {
            json.key("Item");
            write_item(json, reason.item->view());
        }
        json.end_object();
    }
    json.end_array();
}

}  // namespace

void write_item(JsonWriter& json, value::ValueView item) {
    value::append_json_map(json.value_sink(), item);
}

void write_items(JsonWriter& json, const dynamo::ItemBuffer& items) {
    json.begin_array();
    for (const auto item : items.items()) {
        write_item(json, item);
    }
    json.end_array();
}

void write_capacity_member(JsonWriter& json, const std::optional<ConsumedCapacity>& capacity) {
    if (capacity) {
        json.key("ConsumedCapacity");
        write_capacity(json, *capacity);
    }
}

void write_capacity_member(JsonWriter& json, const std::vector<ConsumedCapacity>& capacity) {
    if (capacity.empty()) {
        return;
    }
    json.key("ConsumedCapacity");
    json.begin_array();
    for (const auto& each : capacity) {
        write_capacity(json, each);
    }
    json.end_array();
}

void write_reply(std::string& out, const dynamo::GetItemReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    if (reply.item) {
        json.key("Item");
        write_item(json, reply.item->view());
    }
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::ItemWriteReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    if (reply.attributes) {
        json.key("Attributes");
        write_item(json, reply.attributes->view());
    }
    write_capacity_member(json, reply.capacity);
    if (reply.collection_metrics) {
        json.key("ItemCollectionMetrics");
        write_metrics(json, *reply.collection_metrics);
    }
    json.end_object();
}

void write_reply(std::string& out, const dynamo::PageReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.member("Count", reply.count);
    json.member("ScannedCount", reply.scanned_count);
    if (!reply.count_only) {
        json.key("Items");
        write_items(json, reply.items);
    }
    if (reply.last_evaluated_key) {
        json.key("LastEvaluatedKey");
        write_item(json, reply.last_evaluated_key->view());
    }
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::BatchGetItemReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Responses");
    json.begin_object();
    for (const auto& table : reply.tables) {
        json.key(table.name);
        write_items(json, table.items);
    }
    json.end_object();
    json.key("UnprocessedKeys");
    json.begin_object();
    for (const auto& left : reply.unprocessed) {
        json.key(left.table);
        write_unprocessed(json, left);
    }
    json.end_object();
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::BatchWriteItemReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("UnprocessedItems");
    json.begin_object();
    for (const auto& table : reply.unprocessed) {
        json.key(table.name);
        write_unprocessed(json, table);
    }
    json.end_object();
    write_metrics_member(json, reply.collection_metrics);
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_responses(
    std::string& out,
    const std::vector<std::optional<value::EncodedItem>>& items,
    const std::vector<dynamo::ConsumedCapacity>& capacity
) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Responses");
    json.begin_array();
    for (const auto& item : items) {
        json.begin_object();
        if (item) {
            json.key("Item");
            write_item(json, item->view());
        }
        json.end_object();
    }
    json.end_array();
    write_capacity_member(json, capacity);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::TransactGetItemsReply& reply) {
    write_responses(out, reply.items, reply.capacity);
}

void write_reply(std::string& out, const dynamo::TransactWriteItemsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    write_metrics_member(json, reply.collection_metrics);
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_reply(std::string& out, const dynamo::ListTablesReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("TableNames");
    json.begin_array();
    for (const auto& name : reply.names) {
        json.string(name);
    }
    json.end_array();
    if (reply.last_evaluated) {
        json.member("LastEvaluatedTableName", *reply.last_evaluated);
    }
    json.end_object();
}

void write_reply(std::string& out, const dynamo::TimeToLiveSpecification& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("TimeToLiveSpecification");
    json.begin_object();
    json.member("AttributeName", reply.attribute);
    json.member("Enabled", reply.enabled);
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const dynamo::TimeToLiveDescription& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("TimeToLiveDescription");
    json.begin_object();
    if (reply.attribute) {
        json.member("AttributeName", *reply.attribute);
    }
    json.member("TimeToLiveStatus", reply.attribute ? "ENABLED" : "DISABLED");
    json.end_object();
    json.end_object();
}

void write_reply(std::string& out, const dynamo::ListTagsReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Tags");
    json.begin_array();
    for (const auto& [key, tag] : reply.tags) {
        json.begin_object();
        json.member("Key", key);
        json.member("Value", tag);
        json.end_object();
    }
    json.end_array();
    if (reply.next_token) {
        json.member("NextToken", *reply.next_token);
    }
    json.end_object();
}

void write_reply(std::string& /*out*/, const dynamo::Empty& /*reply*/) {}

void write_error(std::string& out, const Error& error) {
    JsonWriter json(out);
    json.begin_object();
    json.member(
        "__type", "com.amazonaws.dynamodb.v20120810#" + std::string(dynamo::name_of(error))
    );
    json.member("message", error.message);
    if (const auto* failed = dynamic_cast<const dynamo::FailedItem*>(error.detail.get())) {
        json.key("Item");
        write_item(json, failed->item.view());
    } else if (const auto* cancelled = dynamic_cast<const dynamo::CancellationReasons*>(error.detail.get())) {
        write_reasons(json, *cancelled);
    }
    json.end_object();
}

}  // namespace gateleg::api::dynamodb

#include "model/explain.h"

#include "base/json_writer.h"
#include "value/json_codec.h"

namespace gateleg::model {
namespace {

class Document {
public:
    explicit Document(std::string_view operation) {
        json_.begin_object();
        json_.member("operation", operation);
        json_.key("request");
        json_.begin_object();
    }
    std::string finish() {
        json_.end_object();
        json_.end_object();
        return std::move(text_);
    }

    void item(std::string_view name, const dynamo::EncodedItem& item) {
        json_.key(name);
        value::append_json_map(json_.value_sink(), item.view());
    }
    void text(std::string_view name, const std::optional<std::string>& text) {
        if (text) {
            json_.member(name, *text);
        }
    }
    void placeholders(const dynamo::Placeholders& placeholders) {
        if (placeholders.names) {
            json_.key("ExpressionAttributeNames");
            json_.begin_object();
            for (const auto& [placeholder, name] : *placeholders.names) {
                json_.member(placeholder, name);
            }
            json_.end_object();
        }
        if (placeholders.values) {
            item("ExpressionAttributeValues", *placeholders.values);
        }
    }
    void write(const dynamo::ItemWrite& write) {
        json_.member("TableName", write.table);
        text("ConditionExpression", write.condition);
        placeholders(write.placeholders);
        if (write.return_old_on_failure) {
            json_.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
        }
    }
    void page(const dynamo::ReadPage& page) {
        json_.member("TableName", page.table);
        text("IndexName", page.index);
        text("FilterExpression", page.filter);
        placeholders(page.placeholders);
        if (page.exclusive_start_key) {
            item("ExclusiveStartKey", *page.exclusive_start_key);
        }
        if (page.limit) {
            json_.member("Limit", *page.limit);
        }
        if (page.consistent_read) {
            json_.member("ConsistentRead", true);
        }
    }
    JsonWriter& json() { return json_; }

private:
    std::string text_;
    JsonWriter json_{text_};
};

}  // namespace

std::string explain(const dynamo::GetItemRequest& request) {
    Document document("GetItem");
    document.json().member("TableName", request.table);
    document.item("Key", request.key);
    if (request.consistent_read) {
        document.json().member("ConsistentRead", true);
    }
    return document.finish();
}

std::string explain(const dynamo::BatchGetItemRequest& request) {
    Document document("BatchGetItem");
    auto& json = document.json();
    json.key("RequestItems");
    json.begin_object();
    for (const auto& table : request.tables) {
        json.key(table.table);
        json.begin_object();
        json.key("Keys");
        json.begin_array();
        for (const auto& key : table.keys) {
            value::append_json_map(json.value_sink(), key.view());
        }
        json.end_array();
        if (table.consistent_read) {
            json.member("ConsistentRead", true);
        }
        json.end_object();
    }
    json.end_object();
    return document.finish();
}

std::string explain(const dynamo::QueryRequest& request) {
    Document document("Query");
    document.page(request.page);
    document.text("KeyConditionExpression", request.key_condition);
    if (!request.forward) {
        document.json().member("ScanIndexForward", false);
    }
    return document.finish();
}

std::string explain(const dynamo::ScanRequest& request) {
    Document document("Scan");
    document.page(request.page);
    return document.finish();
}

std::string explain(const dynamo::PutItemRequest& request) {
    Document document("PutItem");
    document.write(request.write);
    document.item("Item", request.item);
    return document.finish();
}

std::string explain(const dynamo::UpdateItemRequest& request) {
    Document document("UpdateItem");
    document.write(request.write);
    document.item("Key", request.key);
    document.text("UpdateExpression", request.update);
    return document.finish();
}

std::string explain(const dynamo::DeleteItemRequest& request) {
    Document document("DeleteItem");
    document.write(request.write);
    document.item("Key", request.key);
    return document.finish();
}

std::string explain(const dynamo::TransactWriteItemsRequest& request) {
    static constexpr const char* kNames[] = {"ConditionCheck", "Put", "Update", "Delete"};
    Document document("TransactWriteItems");
    auto& json = document.json();
    json.key("TransactItems");
    json.begin_array();
    for (const auto& action : request.actions) {
        json.begin_object();
        json.key(kNames[static_cast<int>(action.kind)]);
        json.begin_object();
        document.write(action.write);
        document.item(action.kind == dynamo::TransactAction::kPut ? "Item" : "Key", action.item);
        document.text("UpdateExpression", action.update);
        json.end_object();
        json.end_object();
    }
    json.end_array();
    return document.finish();
}

}  // namespace gateleg::model

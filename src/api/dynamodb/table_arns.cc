#include "api/dynamodb/table_arns.h"

namespace gateleg::api::dynamodb {
namespace {

namespace dom = simdjson::dom;

void add(TableArns& arns, std::string_view text) {
    if (auto name = table_of_arn(text); name != text) {
        arns.emplace(std::move(name), text);
    }
}

void add_member(TableArns& arns, dom::element json) {
    std::string_view text;
    if (json["TableName"].get_string().get(text) == simdjson::SUCCESS) {
        add(arns, text);
    }
}

void show(const TableArns& arns, std::string& name) {
    if (const auto found = arns.find(name); found != arns.end()) {
        name = found->second;
    }
}

}  // namespace

std::string table_of_arn(std::string_view text) {
    constexpr std::string_view kTable = ":table/";
    const auto at = text.find(kTable);
    if (text.starts_with("arn:aws:dynamodb:") && at != std::string_view::npos) {
        text.remove_prefix(at + kTable.size());
    }
    return std::string(text);
}

TableArns arns_given(dom::element root) {
    TableArns arns;
    add_member(arns, root);
    dom::object tables;
    if (root["RequestItems"].get_object().get(tables) == simdjson::SUCCESS) {
        for (const auto& [name, json] : tables) {
            add(arns, name);
        }
    }
    dom::array actions;
    if (root["TransactItems"].get_array().get(actions) == simdjson::SUCCESS) {
        for (const auto item : actions) {
            dom::object kinds;
            if (item.get_object().get(kinds) != simdjson::SUCCESS) {
                continue;
            }
            for (const auto& [kind, action] : kinds) {
                add_member(arns, action);
            }
        }
    }
    return arns;
}

void show_arns(const TableArns& arns, dynamo::ConsumedCapacity& capacity) {
    show(arns, capacity.table);
}

void show_arns(const TableArns& arns, dynamo::BatchGetItemReply& reply) {
    for (auto& table : reply.tables) {
        show(arns, table.name);
    }
    for (auto& left : reply.unprocessed) {
        show(arns, left.table);
    }
    for (auto& capacity : reply.capacity) {
        show_arns(arns, capacity);
    }
}

void show_arns(const TableArns& arns, dynamo::BatchWriteItemReply& reply) {
    for (auto& left : reply.unprocessed) {
        show(arns, left.name);
    }
    for (auto& [name, metrics] : reply.collection_metrics) {
        show(arns, name);
    }
    for (auto& capacity : reply.capacity) {
        show_arns(arns, capacity);
    }
}

}  // namespace gateleg::api::dynamodb

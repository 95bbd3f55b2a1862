#include "remote/decode_reply.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote {
namespace {

using internal::ReplyReader;
namespace dom = simdjson::dom;

dynamo::KeysAndAttributes decode_keys(std::string_view table, const ReplyReader& in) {
    dynamo::KeysAndAttributes keys;
    keys.table = table;
    in.each_of_list("Keys", [&](dom::element json) {
        if (auto key = internal::decode_item(in.complaint(), json)) {
            keys.keys.push_back(*std::move(key));
        }
    });
    keys.projection = in.text("ProjectionExpression");
    keys.consistent_read = in.boolean("ConsistentRead").value_or(false);
    if (in.has("ExpressionAttributeNames")) {
        auto& names = keys.placeholders.names.emplace();
        in.each_of_map("ExpressionAttributeNames", [&](std::string_view key, dom::element json) {
            std::string_view name;
            if (json.get_string().get(name) != simdjson::SUCCESS) {
                in.complaint().add("ExpressionAttributeNames", "a map of strings");
            }
            names.emplace_back(key, name);
        });
    }
    return keys;
}

dynamo::TableWrites decode_writes(
    internal::Complaint& complaint, std::string_view table, dom::element json
) {
    dynamo::TableWrites writes{.name = std::string(table), .writes = {}};
    dom::array list;
    if (json.get_array().get(list) != simdjson::SUCCESS) {
        complaint.add("UnprocessedItems", "a map of lists");
        return writes;
    }
    for (const auto element : list) {
        const ReplyReader in(complaint, element, "UnprocessedItems");
        const auto put = in.object("PutRequest");
        const auto remove = in.object("DeleteRequest");
        auto item = put ? put->item("Item") : remove ? remove->item("Key") : std::nullopt;
        if (!item) {
            complaint.add("UnprocessedItems", "a map of lists of writes");
            return writes;
        }
        writes.writes.push_back({*std::move(item), !put.has_value()});
    }
    return writes;
}

template <class ByTable>
void decode_metrics_by_table(const ReplyReader& in, ByTable& by_table) {
    in.each_of_map("ItemCollectionMetrics", [&](std::string_view table, dom::element json) {
        auto& [name, list] = by_table.emplace_back();
        name = table;
        dom::array array;
        if (json.get_array().get(array) != simdjson::SUCCESS) {
            in.complaint().add("ItemCollectionMetrics", "a map of lists");
            return;
        }
        for (const auto element : array) {
            const ReplyReader metrics(in.complaint(), element, "ItemCollectionMetrics");
            list.push_back(internal::decode_metrics(metrics));
        }
    });
}

}  // namespace

Result<void> decode_reply(std::string_view body, dynamo::BatchGetItemReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        in.each_of_map("Responses", [&](std::string_view name, dom::element json) {
            auto& table = reply.tables.emplace_back();
            table.name = name;
            dom::array items;
            if (json.get_array().get(items) != simdjson::SUCCESS) {
                in.complaint().add("Responses", "a map of lists");
                return;
            }
            for (const auto item : items) {
                internal::decode_next_item(in.complaint(), item, table.items);
            }
        });
        in.each_of_map("UnprocessedKeys", [&](std::string_view name, dom::element json) {
            reply.unprocessed.push_back(
                decode_keys(name, ReplyReader(in.complaint(), json, "UnprocessedKeys"))
            );
        });
        reply.capacity = internal::decode_capacities(in);
    });
}

Result<void> decode_reply(std::string_view body, dynamo::BatchWriteItemReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        in.each_of_map("UnprocessedItems", [&](std::string_view name, dom::element json) {
            reply.unprocessed.push_back(decode_writes(in.complaint(), name, json));
        });
        decode_metrics_by_table(in, reply.collection_metrics);
        reply.capacity = internal::decode_capacities(in);
    });
}

Result<void> decode_reply(std::string_view body, dynamo::TransactGetItemsReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        for (const auto& each : in.objects("Responses")) {
            reply.items.push_back(each.item("Item"));
        }
        reply.capacity = internal::decode_capacities(in);
    });
}

Result<void> decode_reply(std::string_view body, dynamo::TransactWriteItemsReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        decode_metrics_by_table(in, reply.collection_metrics);
        reply.capacity = internal::decode_capacities(in);
    });
}

}  // namespace gateleg::remote

#include <map>

#include "api/console/calls.h"
#include "api/rest/problem.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "model/blocking_call.h"
#include "value/attribute_value.h"
#include "value/item_size.h"
#include "value/json_codec.h"

namespace gateleg::api::console {
namespace {

using model::CallResult;

constexpr std::size_t kMostPartitions = 500;
constexpr std::size_t kMostItems = 500;
constexpr std::size_t kMostHotKeys = 100;
// What a page may read of a remote store, which cannot go from partition to partition.
constexpr std::int64_t kScanItems = 1'000;

// The table is one that a person named: that it is missing is no fault of ours.
model::CallError to_refusal(const Error& error) {
    if (error.code == ErrorCode::kResourceNotFound) {
        return not_found("There is no such table");
    }
    return model::to_call_error(error);
}

// Base64 that needs no escapes in a query string.
std::string to_cursor(std::string_view bytes) {
    auto text = encode_base64(bytes);
    for (auto& c : text) {
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    }
    while (text.ends_with('=')) {
        text.pop_back();
    }
    return text;
}

CallResult<std::string> from_cursor(std::string_view cursor) {
    std::string text(cursor);
    for (auto& c : text) {
        c = c == '-' ? '+' : c == '_' ? '/' : c;
    }
    while (text.size() % 4 != 0) {
        text.push_back('=');
    }
    std::string bytes;
    if (!append_decoded_base64(bytes, text)) {
        return rest::validation_failed("after", "is not a cursor of an earlier answer");
    }
    return bytes;
}

void write_partition(JsonWriter& json, const dynamo::Partition& partition) {
    json.begin_object();
    json.key("key");
    value::append_json_map(json.value_sink(), partition.key.view());
    json.key("items");
    json.begin_array();
    for (const auto& item : partition.items) {
        json.begin_object();
        json.key("item");
        value::append_json_map(json.value_sink(), item.view());
        json.member("bytes", value::item_size(item.view()));
        json.end_object();
    }
    json.end_array();
    json.member("more", partition.more);
    json.end_object();
}

Reply write_page(
    const std::vector<dynamo::Partition>& partitions, std::string_view next, bool sampled
) {
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("partitions");
    json.begin_array();
    for (const auto& partition : partitions) {
        write_partition(json, partition);
    }
    json.end_array();
    json.key("next");
    next.empty() ? json.raw("null") : json.string(to_cursor(next));
    if (sampled) {
        json.member("sampled", true);
    }
    json.end_object();
    return reply;
}

// The attribute that partitions of a table or an index have in common.
CallResult<std::string> partition_attribute(
    const Context& context, const dynamo::PartitionsRequest& request
) {
    const auto described = model::blocking_call(
        context.dynamo,
        &dynamo::Dynamo::describe_table,
        dynamo::DescribeTableRequest{.table = request.table}
    );
    if (!described) {
        return to_refusal(described.error());
    }
    const auto& table = described->table;
    const auto hash_of = [](const dynamo::KeySchema& schema) {
        return schema.empty() ? std::string() : schema.front().attribute;
    };
    if (!request.index) {
        return hash_of(table.key_schema);
    }
    for (const auto* list : {&table.global_indexes, &table.local_indexes}) {
        for (const auto& index : *list) {
            if (index.definition.name == *request.index) {
                return hash_of(index.definition.key_schema);
            }
        }
    }
    return not_found("There is no such index");
}

// A cursor comes from outside: it is JSON, which is checked, and no bytes of ours.
CallResult<value::EncodedItem> read_key(const std::string& json) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::string bytes;
    if (parser.parse(json).get(root) != simdjson::SUCCESS ||
        !value::append_map_of_values(bytes, root)) {
        return rest::validation_failed("after", "is not a cursor of an earlier answer");
    }
    return value::EncodedItem(std::move(bytes));
}

// One bounded Scan, sorted into partitions in the order in which they were met.
CallResult<Reply> sample(const Context& context, const dynamo::PartitionsRequest& request) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto attribute, partition_attribute(context, request));
    dynamo::ScanRequest scan;
    scan.page.table = request.table;
    scan.page.index = request.index;
    scan.page.limit = kScanItems;
    if (!request.after.empty()) {
        GATELEG_CALL_TRY_ASSIGN_CALL(scan.page.exclusive_start_key, read_key(request.after));
    }
    GATELEG_CALL_TRY_ASSIGN(
        const auto page,
        model::blocking_call(context.dynamo, &dynamo::Dynamo::scan, std::move(scan))
    );
    std::vector<dynamo::Partition> partitions;
    std::map<std::string, std::size_t> places;
    for (const auto item : page.items.items()) {
        const auto value = item.find(attribute);
        if (!value || !value->text().starts_with(request.prefix)) {
            continue;
        }
        const auto [place, added] =
            places.try_emplace(std::string(value->bytes()), partitions.size());
        if (added) {
            const value::Item key = {{attribute, value::decode(*value)}};
            partitions.push_back({.key = value::encode_item(key), .items = {}});
        }
        auto& partition = partitions[place->second];
        if (partition.items.size() < request.items) {
            partition.items.emplace_back(std::string(item.bytes()));
        } else {
            partition.more = true;
        }
    }
    std::string next;
    if (page.last_evaluated_key) {
        value::append_json_map(next, page.last_evaluated_key->view());
    }
    return write_page(partitions, next, true);
}

}  // namespace

CallReply list_partitions(const Context& context, const Call& call) {
    dynamo::PartitionsRequest request;
    request.table = call.parameter("table");
    if (request.table.empty()) {
        return rest::validation_failed("table", "is missing");
    }
    if (const auto index = call.parameter("index"); !index.empty()) {
        request.index = index;
    }
    request.prefix = call.parameter("prefix");
    GATELEG_CALL_TRY_ASSIGN_CALL(request.limit, call.number("limit", 50, kMostPartitions));
    GATELEG_CALL_TRY_ASSIGN_CALL(request.items, call.number("items", 25, kMostItems));
    GATELEG_CALL_TRY_ASSIGN_CALL(request.after, from_cursor(call.parameter("after")));
    if (context.partitions == nullptr) {
        return sample(context, request);
    }
    const auto reply = context.partitions->read_partitions(request);
    if (!reply) {
        return to_refusal(reply.error());
    }
    return write_page(reply->partitions, reply->next, false);
}

CallReply list_hot_keys(const Context& context, const Call& call) {
    dynamo::HotKeysRequest request;
    if (const auto table = call.parameter("table"); !table.empty()) {
        request.table = table;
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(request.limit, call.number("limit", 20, kMostHotKeys));
    if (context.hot_keys == nullptr) {
        return not_available("A remote store does not tell which keys are called most");
    }
    const auto found = context.hot_keys->read_hot_keys(request);
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("seconds", static_cast<double>(found.millis) / 1000);
    json.member("calls", found.calls);
    json.key("keys");
    json.begin_array();
    for (const auto& hot : found.keys) {
        json.begin_object();
        json.member("table", hot.table);
        json.key("index");
        hot.index ? json.string(*hot.index) : json.raw("null");
        json.key("key");
        value::append_json_map(json.value_sink(), hot.key.view());
        json.member("reads", hot.reads);
        json.member("writes", hot.writes);
        json.member("spare", hot.spare);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return reply;
}

}  // namespace gateleg::api::console

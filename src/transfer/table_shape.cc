#include "transfer/table_shape.h"

#include <algorithm>

#include "base/json_indent.h"
#include "base/json_writer.h"
#include "dynamo/schema_json.h"
#include "model/blocking_call.h"
#include "model/table_apply.h"
#include "remote/decode_reply.h"
#include "transfer/json_members.h"

namespace gateleg::transfer {
namespace {

using dynamo::Dynamo;
using model::blocking_call;

bool is_unknown(const Error& error) {
    return error.code == ErrorCode::kUnknownOperation;
}

Result<dynamo::Tags> read_tags(Dynamo& dynamo, const std::string& arn) {
    dynamo::Tags tags;
    std::optional<std::string> token;
    do {
        auto reply = blocking_call(
            dynamo,
            &Dynamo::list_tags_of_resource,
            dynamo::ListTagsOfResourceRequest{.arn = arn, .next_token = token}
        );
        if (!reply) {
            return is_unknown(reply.error()) ? Result<dynamo::Tags>(tags) : reply.error();
        }
        tags.insert(reply->tags.begin(), reply->tags.end());
        token = reply->next_token;
    } while (token);
    return tags;
}

bool is_on_demand(const dynamo::TableDescription& table) {
    return table.billing_mode == dynamo::BillingMode::kPayPerRequest ||
           table.throughput.read_units == 0;
}

std::vector<dynamo::IndexDefinition> definitions(
    const std::vector<dynamo::IndexDescription>& indexes, bool on_demand
) {
    std::vector<dynamo::IndexDefinition> all;
    for (const auto& index : indexes) {
        all.push_back(index.definition);
        if (on_demand || (all.back().throughput && all.back().throughput->read_units == 0)) {
            all.back().throughput.reset();
        }
    }
    return all;
}

void write_throughput(JsonWriter& json, const dynamo::Throughput& throughput) {
    json.key("ProvisionedThroughput");
    json.begin_object();
    json.member("ReadCapacityUnits", throughput.read_units);
    json.member("WriteCapacityUnits", throughput.write_units);
    json.end_object();
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
        if (index.definition.throughput) {
            write_throughput(json, *index.definition.throughput);
        }
        json.end_object();
    }
    json.end_array();
}

void write_table(JsonWriter& json, const dynamo::TableDescription& table) {
    json.begin_object();
    json.member("TableName", table.name);
    json.member("TableArn", table.arn);
    json.member("TableId", table.id);
    dynamo::write_attribute_definitions(json, table.attributes);
    dynamo::write_key_schema(json, table.key_schema);
    write_throughput(json, table.throughput);
    json.key("BillingModeSummary");
    json.begin_object();
    json.member("BillingMode", is_on_demand(table) ? "PAY_PER_REQUEST" : "PROVISIONED");
    json.end_object();
    write_indexes(json, "GlobalSecondaryIndexes", table.global_indexes);
    write_indexes(json, "LocalSecondaryIndexes", table.local_indexes);
    if (table.stream_view) {
        json.key("StreamSpecification");
        json.begin_object();
        json.member("StreamEnabled", true);
        json.member("StreamViewType", dynamo::stream_view_name(*table.stream_view));
        json.end_object();
    }
    json.end_object();
}

}  // namespace

Result<TableShape> read_table_shape(Dynamo& dynamo, const std::string& table) {
    GATELEG_TRY_ASSIGN(
        auto described,
        blocking_call(dynamo, &Dynamo::describe_table, dynamo::DescribeTableRequest{table})
    );
    TableShape shape{.table = std::move(described.table)};
    const auto ttl = blocking_call(
        dynamo, &Dynamo::describe_time_to_live, dynamo::DescribeTimeToLiveRequest{table}
    );
    if (ttl) {
        shape.ttl = ttl->attribute;
    } else if (!is_unknown(ttl.error())) {
        return ttl.error();
    }
    GATELEG_TRY_ASSIGN(shape.tags, read_tags(dynamo, shape.table.arn));
    return shape;
}

Result<void> create_table(Dynamo& dynamo, const TableShape& shape, const std::string& name) {
    const auto& table = shape.table;
    const bool on_demand = is_on_demand(table);
    dynamo::CreateTableRequest request;
    request.table = name;
    request.attributes = table.attributes;
    request.key_schema = table.key_schema;
    if (!table.global_indexes.empty()) {
        request.global_indexes = definitions(table.global_indexes, on_demand);
    }
    if (!table.local_indexes.empty()) {
        request.local_indexes = definitions(table.local_indexes, true);
    }
    request.billing_mode =
        on_demand ? dynamo::BillingMode::kPayPerRequest : dynamo::BillingMode::kProvisioned;
    if (!on_demand) {
        request.throughput = table.throughput;
    }
    request.on_demand = table.on_demand;
    request.table_class = table.table_class;
    if (table.stream_view) {
        request.stream = dynamo::StreamSpecification{true, table.stream_view};
    }
    request.tags = shape.tags;
    GATELEG_TRY(blocking_call(dynamo, &Dynamo::create_table, std::move(request)));
    return model::wait_until_settled(name, "table " + name, dynamo);
}

Result<void> enable_ttl(Dynamo& dynamo, const TableShape& shape, const std::string& name) {
    if (!shape.ttl) {
        return {};
    }
    GATELEG_TRY_ASSIGN(
        const auto now,
        blocking_call(
            dynamo, &Dynamo::describe_time_to_live, dynamo::DescribeTimeToLiveRequest{name}
        )
    );
    if (now.attribute == shape.ttl) {
        return {};
    }
    GATELEG_TRY(blocking_call(
        dynamo,
        &Dynamo::update_time_to_live,
        dynamo::UpdateTimeToLiveRequest{name, {*shape.ttl, true}}
    ));
    return {};
}

std::string render_table_shape(const TableShape& shape) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("Table");
    write_table(json, shape.table);
    json.key("TimeToLiveDescription");
    json.begin_object();
    json.member("TimeToLiveStatus", shape.ttl ? "ENABLED" : "DISABLED");
    if (shape.ttl) {
        json.member("AttributeName", *shape.ttl);
    }
    json.end_object();
    json.key("Tags");
    json.begin_array();
    for (const auto& [name, value] : shape.tags) {
        json.begin_object();
        json.member("Key", name);
        json.member("Value", value);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return indent_json(out);
}

Result<TableShape> parse_table_shape(std::string_view text) {
    GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(text));
    const bool bare = members.required_list("KeySchema").has_value();
    const auto document = bare ? "{\"Table\":" + std::string(text) + "}" : std::string(text);
    dynamo::TableReply table;
    GATELEG_TRY(remote::decode_reply(document, table));
    TableShape shape{.table = std::move(table.table)};
    if (shape.table.key_schema.empty() || shape.table.attributes.empty()) {
        return validation_error("no KeySchema and AttributeDefinitions of a table");
    }
    if (dynamo::TimeToLiveDescription ttl; remote::decode_reply(document, ttl)) {
        shape.ttl = ttl.attribute;
    }
    if (dynamo::ListTagsReply tags; remote::decode_reply(document, tags)) {
        shape.tags.insert(tags.tags.begin(), tags.tags.end());
    }
    return shape;
}

KeyTypes key_types_of(const dynamo::TableDescription& table) {
    KeyTypes types;
    for (const auto& attribute : table.attributes) {
        types[attribute.name] = attribute.type;
    }
    return types;
}

}  // namespace gateleg::transfer

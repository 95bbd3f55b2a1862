#include <cmath>

#include "dynamo/schema_json.h"
#include "remote/decode_reply.h"
#include "remote/internal/decode_schema.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote {
namespace {

using internal::decode_key_schema;
using internal::decode_millis;
using internal::decode_stream_view;
using internal::ReplyReader;

// A status that we have no name for is one in which the table cannot be relied on.
dynamo::Status decode_status(const ReplyReader& in, std::string_view member) {
    const auto name = in.text(member).value_or("ACTIVE");
    return name == "ACTIVE"     ? dynamo::Status::kActive
           : name == "CREATING" ? dynamo::Status::kCreating
           : name == "DELETING" ? dynamo::Status::kDeleting
                                : dynamo::Status::kUpdating;
}

std::vector<dynamo::AttributeDefinition> decode_attributes(const ReplyReader& in) {
    std::vector<dynamo::AttributeDefinition> attributes;
    for (const auto& each : in.objects("AttributeDefinitions")) {
        auto& attribute = attributes.emplace_back();
        attribute.name = each.text("AttributeName").value_or("");
        const auto type = value::find_type(each.text("AttributeType").value_or(""));
        if (!type) {
            in.complaint().add("AttributeType", "a type");
        }
        attribute.type = type.value_or(value::Type::kString);
    }
    return attributes;
}

dynamo::Projection decode_projection(const ReplyReader& in) {
    const auto found = in.object("Projection");
    if (!found) {
        return {};
    }
    const auto type = found->text("ProjectionType");
    return {
        .type = type == "KEYS_ONLY" ? dynamo::ProjectionType::kKeysOnly
                : type == "INCLUDE" ? dynamo::ProjectionType::kInclude
                                    : dynamo::ProjectionType::kAll,
        .non_key_attributes = found->texts("NonKeyAttributes"),
    };
}

std::optional<dynamo::Throughput> decode_throughput(const ReplyReader& in) {
    const auto found = in.object("ProvisionedThroughput");
    if (!found) {
        return std::nullopt;
    }
    return dynamo::Throughput{
        found->integer("ReadCapacityUnits").value_or(0),
        found->integer("WriteCapacityUnits").value_or(0)};
}

std::optional<dynamo::OnDemandThroughput> decode_on_demand(const ReplyReader& in) {
    const auto found = in.object("OnDemandThroughput");
    if (!found) {
        return std::nullopt;
    }
    // For a while -1 stands for a limit that was taken away.
    const auto limit = [&](std::string_view member) {
        const auto units = found->integer(member);
        return units && *units < 0 ? std::nullopt : units;
    };
    const dynamo::OnDemandThroughput limits{
        limit("MaxReadRequestUnits"), limit("MaxWriteRequestUnits")};
    return limits.max_read_units || limits.max_write_units ? std::optional(limits) : std::nullopt;
}

void decode_warm(const ReplyReader& in, std::optional<dynamo::Throughput>& warm, bool& updating) {
    if (const auto found = in.object("WarmThroughput")) {
        warm = dynamo::Throughput{
            found->integer("ReadUnitsPerSecond").value_or(0),
            found->integer("WriteUnitsPerSecond").value_or(0)};
        updating = found->text("Status") == "UPDATING";
    }
}

std::vector<dynamo::IndexDescription> decode_indexes(
    const ReplyReader& in, std::string_view member
) {
    std::vector<dynamo::IndexDescription> indexes;
    for (const auto& each : in.objects(member)) {
        auto& index = indexes.emplace_back();
        index.definition.name = each.text("IndexName").value_or("");
        index.definition.key_schema = decode_key_schema(each);
        index.definition.projection = decode_projection(each);
        index.definition.throughput = decode_throughput(each);
        index.definition.on_demand = decode_on_demand(each);
        index.status = decode_status(each, "IndexStatus");
        index.backfilling = each.boolean("Backfilling").value_or(false);
        index.item_count = each.integer("ItemCount").value_or(0);
        index.size_bytes = each.integer("IndexSizeBytes").value_or(0);
        index.arn = each.text("IndexArn").value_or("");
        decode_warm(each, index.warm, index.warm_updating);
    }
    return indexes;
}

void decode_billing(const ReplyReader& in, dynamo::TableDescription& table) {
    table.throughput = decode_throughput(in).value_or(dynamo::Throughput{});
    table.on_demand = decode_on_demand(in);
    decode_warm(in, table.warm, table.warm_updating);
    if (const auto summary = in.object("BillingModeSummary")) {
        table.billing_mode = summary->text("BillingMode") == "PAY_PER_REQUEST"
                                 ? dynamo::BillingMode::kPayPerRequest
                                 : dynamo::BillingMode::kProvisioned;
        table.on_demand_since_millis = decode_millis(*summary, "LastUpdateToPayPerRequestDateTime");
    }
}

void decode_settings(const ReplyReader& in, dynamo::TableDescription& table) {
    table.deletion_protection = in.boolean("DeletionProtectionEnabled").value_or(false);
    if (const auto summary = in.object("TableClassSummary")) {
        table.table_class = summary->text("TableClass") == "STANDARD_INFREQUENT_ACCESS"
                                ? dynamo::TableClass::kInfrequentAccess
                                : dynamo::TableClass::kStandard;
    }
    if (const auto encryption = in.object("SSEDescription")) {
        const auto status = encryption->text("Status");
        table.encryption = dynamo::ServerSideEncryption{
            status == "ENABLED" || status == "ENABLING" || status == "UPDATING",
            encryption->text("KMSMasterKeyArn").value_or("")};
    }
}

void decode_stream(const ReplyReader& in, dynamo::TableDescription& table) {
    const auto specification = in.object("StreamSpecification");
    if (specification && specification->boolean("StreamEnabled").value_or(false)) {
        table.stream_view = decode_stream_view(*specification);
    }
    table.latest_stream_arn = in.text("LatestStreamArn").value_or("");
    table.latest_stream_label = in.text("LatestStreamLabel").value_or("");
}

dynamo::TableDescription decode_table(const ReplyReader& in) {
    dynamo::TableDescription table;
    table.name = in.text("TableName").value_or("");
    table.arn = in.text("TableArn").value_or("");
    table.id = in.text("TableId").value_or("");
    table.status = decode_status(in, "TableStatus");
    table.created_millis = decode_millis(in, "CreationDateTime").value_or(0);
    table.attributes = decode_attributes(in);
    table.key_schema = decode_key_schema(in);
    table.global_indexes = decode_indexes(in, "GlobalSecondaryIndexes");
    table.local_indexes = decode_indexes(in, "LocalSecondaryIndexes");
    table.item_count = in.integer("ItemCount").value_or(0);
    table.size_bytes = in.integer("TableSizeBytes").value_or(0);
    decode_billing(in, table);
    decode_settings(in, table);
    decode_stream(in, table);
    return table;
}

}  // namespace

namespace internal {

std::optional<std::int64_t> decode_millis(const ReplyReader& in, std::string_view member) {
    constexpr double kYear9999 = 253'402'300'800;
    const auto seconds = in.number(member);
    if (!seconds || !(std::abs(*seconds) < kYear9999)) {
        return std::nullopt;
    }
    return std::llround(*seconds * 1000);
}

dynamo::KeySchema decode_key_schema(const ReplyReader& in) {
    dynamo::KeySchema schema;
    for (const auto& each : in.objects("KeySchema")) {
        schema.push_back(
            {each.text("AttributeName").value_or(""),
             each.text("KeyType") == "RANGE" ? dynamo::KeyRole::kRange : dynamo::KeyRole::kHash}
        );
    }
    return schema;
}

dynamo::StreamView decode_stream_view(const ReplyReader& in) {
    using dynamo::StreamView;
    const auto name = in.text("StreamViewType");
    for (const auto view :
         {StreamView::kNewImage, StreamView::kOldImage, StreamView::kNewAndOldImages}) {
        if (name == dynamo::stream_view_name(view)) {
            return view;
        }
    }
    return StreamView::kKeysOnly;
}

}  // namespace internal

Result<void> decode_reply(std::string_view body, dynamo::TableReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        // DescribeTable names it otherwise than the calls that change a table.
        auto table = in.object("Table");
        if (!table) {
            table = in.object("TableDescription");
        }
        if (table) {
            reply.table = decode_table(*table);
        } else {
            in.complaint().add("TableDescription", "there");
        }
    });
}

Result<void> decode_reply(std::string_view body, dynamo::ListTablesReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        reply.names = in.texts("TableNames");
        reply.last_evaluated = in.text("LastEvaluatedTableName");
    });
}

Result<void> decode_reply(std::string_view body, dynamo::TimeToLiveSpecification& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        if (const auto specification = in.object("TimeToLiveSpecification")) {
            reply.attribute = specification->text("AttributeName").value_or("");
            reply.enabled = specification->boolean("Enabled").value_or(false);
        } else {
            in.complaint().add("TimeToLiveSpecification", "there");
        }
    });
}

Result<void> decode_reply(std::string_view body, dynamo::TimeToLiveDescription& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        const auto description = in.object("TimeToLiveDescription");
        if (!description) {
            in.complaint().add("TimeToLiveDescription", "there");
            return;
        }
        const auto status = description->text("TimeToLiveStatus");
        if (status == "ENABLED" || status == "ENABLING") {
            reply.attribute = description->text("AttributeName");
        }
    });
}

Result<void> decode_reply(std::string_view body, dynamo::ListTagsReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        for (const auto& each : in.objects("Tags")) {
            reply.tags.emplace_back(each.text("Key").value_or(""), each.text("Value").value_or(""));
        }
        reply.next_token = in.text("NextToken");
    });
}

Result<void> decode_reply(std::string_view /*body*/, dynamo::Empty& /*reply*/) {
    return {};
}

}  // namespace gateleg::remote

#include "api/dynamodb/read_schema.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::BillingMode;
using dynamo::IndexDefinition;
using dynamo::KeyRole;
using dynamo::OnDemandThroughput;
using dynamo::ProjectionType;
using dynamo::TableClass;
using dynamo::Throughput;

dynamo::Projection read_projection(const Fields& in) {
    const auto fields = in.object("Projection");
    if (!fields) {
        in.problems().constraint_on_null(in.path_of("Projection"));
        return {};
    }
    dynamo::Projection projection;
    const auto type = fields->choice<ProjectionType>(
        "ProjectionType",
        {{"ALL", ProjectionType::kAll},
         {"KEYS_ONLY", ProjectionType::kKeysOnly},
         {"INCLUDE", ProjectionType::kInclude}},
        "[ALL, INCLUDE, KEYS_ONLY]"
    );
    if (!type && !fields->has("ProjectionType")) {
        in.problems().later(validation_error(
            "One or more parameter values were invalid: Unknown ProjectionType: null"
        ));
    }
    projection.type = type.value_or(ProjectionType::kAll);
    if (const auto names = fields->list("NonKeyAttributes")) {
        for (const auto name : *names) {
            std::string_view text;
            if (name.get_string().get(text) != simdjson::SUCCESS) {
                in.problems().serialization("Unexpected field type");
                break;
            }
            projection.non_key_attributes.emplace_back(text);
        }
    }
    return projection;
}

}  // namespace

std::vector<dynamo::AttributeDefinition> read_attributes(const Fields& in) {
    std::vector<dynamo::AttributeDefinition> attributes;
    for (const auto& each : in.objects("AttributeDefinitions")) {
        auto& attribute = attributes.emplace_back();
        attribute.name = each.required_text("AttributeName");
        each.require("AttributeType");
        attribute.type = each.choice<value::Type>(
                                 "AttributeType",
                                 {{"S", value::Type::kString},
                                  {"N", value::Type::kNumber},
                                  {"B", value::Type::kBinary}},
                                 "[B, N, S]"
        )
                             .value_or(value::Type::kString);
    }
    return attributes;
}

dynamo::KeySchema read_key_schema(const Fields& in, std::size_t max) {
    const auto list = in.list("KeySchema");
    if (!list) {
        in.problems().constraint_on_null(in.path_of("KeySchema"));
        return {};
    }
    dynamo::KeySchema schema;
    std::string text;
    for (const auto& each : in.objects("KeySchema")) {
        auto& element = schema.emplace_back();
        element.attribute = each.required_text("AttributeName");
        each.require("KeyType");
        const auto role = each.choice<KeyRole>(
            "KeyType", {{"HASH", KeyRole::kHash}, {"RANGE", KeyRole::kRange}}, "[HASH, RANGE]"
        );
        element.role = role.value_or(KeyRole::kHash);
        text.append(text.empty() ? "" : ", ")
            .append("KeySchemaElement(attributeName=")
            .append(element.attribute)
            .append(", keyType=")
            .append(element.role == KeyRole::kHash ? "HASH)" : "RANGE)");
    }
    if (schema.empty()) {
        in.problems().constraint(
            "[]", in.path_of("KeySchema"), "Member must have length greater than or equal to 1"
        );
    } else if (schema.size() > max) {
        in.problems().constraint(
            "[" + text + "]",
            in.path_of("KeySchema"),
            "Member must have length less than or equal to " + std::to_string(max)
        );
    }
    return schema;
}

std::optional<Throughput> read_throughput(const Fields& in, std::string_view name) {
    const auto fields = in.object(name);
    if (!fields) {
        return std::nullopt;
    }
    fields->require("ReadCapacityUnits");
    fields->require("WriteCapacityUnits");
    fields->check_range("ReadCapacityUnits", 1);
    fields->check_range("WriteCapacityUnits", 1);
    return Throughput{
        fields->integer("ReadCapacityUnits").value_or(1),
        fields->integer("WriteCapacityUnits").value_or(1)};
}

std::optional<OnDemandThroughput> read_on_demand(const Fields& in, std::string_view name) {
    const auto fields = in.object(name);
    if (!fields) {
        return std::nullopt;
    }
    const OnDemandThroughput limits{
        fields->integer("MaxReadRequestUnits"), fields->integer("MaxWriteRequestUnits")};
    return limits.max_read_units || limits.max_write_units ? std::optional(limits) : std::nullopt;
}

std::optional<dynamo::WarmThroughput> read_warm(const Fields& in) {
    const auto fields = in.object("WarmThroughput");
    if (!fields) {
        return std::nullopt;
    }
    const dynamo::WarmThroughput warm{
        fields->integer("ReadUnitsPerSecond"), fields->integer("WriteUnitsPerSecond")};
    return warm.read_units || warm.write_units ? std::optional(warm) : std::nullopt;
}

std::optional<BillingMode> read_billing_mode(const Fields& in, std::string_view name) {
    return in.choice<BillingMode>(
        name,
        {{"PROVISIONED", BillingMode::kProvisioned},
         {"PAY_PER_REQUEST", BillingMode::kPayPerRequest}},
        "[PROVISIONED, PAY_PER_REQUEST]"
    );
}

std::optional<TableClass> read_table_class(const Fields& in) {
    return in.choice<TableClass>(
        "TableClass",
        {{"STANDARD", TableClass::kStandard},
         {"STANDARD_INFREQUENT_ACCESS", TableClass::kInfrequentAccess}},
        "[STANDARD, STANDARD_INFREQUENT_ACCESS]"
    );
}

std::optional<dynamo::ServerSideEncryption> read_encryption(
    const Fields& in, std::string_view name
) {
    const auto fields = in.object(name);
    if (!fields) {
        return std::nullopt;
    }
    const auto enabled = fields->boolean("Enabled");
    const auto key = fields->text("KMSMasterKeyId");
    const auto type = fields->choice<std::string_view>(
        "SSEType", {{"AES256", "AES256"}, {"KMS", "KMS"}}, "[AES256, KMS]"
    );
    const auto refuse = [&](std::string_view message) {
        in.problems().later(
            validation_error("One or more parameter values were invalid: " + std::string(message))
        );
    };
    if (key && key->empty()) {
        in.problems().constraint(
            "",
            fields->path_of("KMSMasterKeyId"),
            "Member must have length greater than or equal to 1"
        );
    }
    const bool is_off = enabled.has_value() && !*enabled;
    if (is_off && type) {
        refuse("SSEType can not be specified if Enabled is false");
    } else if (is_off && key) {
        refuse("KMSMasterKeyId can not be specified if Enabled is false");
    } else if (type == "AES256") {
        refuse("SSEType AES256 is not supported");
    } else if (key && !type) {
        refuse("SSEType KMS is required if KMSMasterKeyId is specified");
    }
    return dynamo::ServerSideEncryption{enabled.value_or(type.has_value()), key.value_or("")};
}

std::string read_index_name(const Fields& in) {
    auto name = in.required_text("IndexName", 3, 255);
    const bool plain =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
        ) == std::string::npos;
    if (!plain) {
        in.problems().constraint(
            name,
            in.path_of("IndexName"),
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        );
    }
    return name;
}

IndexDefinition read_index(const Fields& in, bool global) {
    constexpr std::size_t kMaxGlobalKey = 8;
    constexpr std::size_t kMaxLocalKey = 2;
    IndexDefinition index;
    index.name = read_index_name(in);
    index.key_schema = read_key_schema(in, global ? kMaxGlobalKey : kMaxLocalKey);
    index.projection = read_projection(in);
    if (global) {
        index.throughput = read_throughput(in, "ProvisionedThroughput");
        index.on_demand = read_on_demand(in, "OnDemandThroughput");
        index.warm = read_warm(in);
    }
    return index;
}

std::optional<std::vector<IndexDefinition>> read_indexes(
    const Fields& in, std::string_view name, bool global
) {
    if (!in.has(name)) {
        return std::nullopt;
    }
    std::vector<IndexDefinition> indexes;
    for (const auto& each : in.objects(name)) {
        indexes.push_back(read_index(each, global));
    }
    return indexes;
}

}  // namespace gateleg::api::dynamodb

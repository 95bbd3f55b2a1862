#include "api/dynamodb/read_request.h"
#include "dynamo/table_settings.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::BillingMode;
using dynamo::IndexDefinition;
using dynamo::KeyRole;
using dynamo::OnDemandThroughput;
using dynamo::ProjectionType;
using dynamo::TableClass;
using dynamo::Throughput;

constexpr std::size_t kMinTableName = 3;

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

// At least one element, at most `max`.
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

std::optional<Throughput> read_throughput(const Fields& in) {
    const auto fields = in.object("ProvisionedThroughput");
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

std::optional<OnDemandThroughput> read_on_demand(const Fields& in) {
    const auto fields = in.object("OnDemandThroughput");
    if (!fields) {
        return std::nullopt;
    }
    return OnDemandThroughput{
        fields->integer("MaxReadRequestUnits"), fields->integer("MaxWriteRequestUnits")};
}

std::optional<BillingMode> read_billing_mode(const Fields& in) {
    return in.choice<BillingMode>(
        "BillingMode",
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

std::optional<dynamo::ServerSideEncryption> read_encryption(const Fields& in) {
    const auto fields = in.object("SSESpecification");
    if (!fields) {
        return std::nullopt;
    }
    return dynamo::ServerSideEncryption{
        fields->boolean("Enabled").value_or(false), fields->text("KMSMasterKeyId").value_or("")};
}

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
        index.throughput = read_throughput(in);
        index.on_demand = read_on_demand(in);
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

dynamo::Tags read_tags(const Fields& in) {
    dynamo::Tags tags;
    for (const auto& each : in.objects("Tags")) {
        const auto key = each.required_text("Key", 1, 128);
        tags[key] = each.required_text("Value", 0, 256);
    }
    return tags;
}

std::optional<dynamo::StreamSpecification> read_stream(const Fields& in) {
    using dynamo::StreamView;
    const auto fields = in.object("StreamSpecification");
    if (!fields) {
        return std::nullopt;
    }
    fields->require("StreamEnabled");
    return dynamo::StreamSpecification{
        fields->boolean("StreamEnabled").value_or(false),
        fields->choice<StreamView>(
            "StreamViewType",
            {{"NEW_IMAGE", StreamView::kNewImage},
             {"OLD_IMAGE", StreamView::kOldImage},
             {"NEW_AND_OLD_IMAGES", StreamView::kNewAndOldImages},
             {"KEYS_ONLY", StreamView::kKeysOnly}},
            "[NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]"
        )};
}

// Replicas and the like: better refused than ignored.
Result<void> refuse_unsupported(const Fields& in) {
    for (const auto name : {"ReplicaUpdates", "GlobalTableWitnessUpdates"}) {
        if (in.has(name)) {
            return validation_error(std::string(name) + " is not supported by this server");
        }
    }
    return {};
}

// Operations on a table as such take names of one character too.
Result<std::string> read_existing_table(const Fields& in) {
    return read_table_name(in, 1);
}

Result<dynamo::UpdateTableRequest::IndexUpdate> read_index_update(const Fields& in) {
    dynamo::UpdateTableRequest::IndexUpdate update;
    const auto create = in.object("Create");
    const auto change = in.object("Update");
    const auto remove = in.object("Delete");
    if (create.has_value() + change.has_value() + remove.has_value() != 1) {
        return validation_error(
            "One or more parameter values were invalid: One and only one of Create, Update and "
            "Delete must be specified in a GlobalSecondaryIndexUpdate"
        );
    }
    if (create) {
        update.create = read_index(*create, true);
    } else if (change) {
        update.update = {
            read_index_name(*change), read_throughput(*change), read_on_demand(*change)};
    } else {
        update.remove = read_index_name(*remove);
    }
    return update;
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::CreateTableRequest& request) {
    constexpr std::size_t kMaxTableKey = 2;
    if (!in.has("TableName")) {
        return validation_error(
            "The parameter 'TableName' is required but was not present in the request"
        );
    }
    GATELEG_TRY_ASSIGN(request.table, read_table_name(in, kMinTableName));
    in.require("AttributeDefinitions");
    request.attributes = read_attributes(in);
    request.key_schema = read_key_schema(in, kMaxTableKey);
    request.billing_mode = read_billing_mode(in);
    request.throughput = read_throughput(in);
    request.on_demand = read_on_demand(in);
    request.table_class = read_table_class(in);
    request.encryption = read_encryption(in);
    request.stream = read_stream(in);
    request.deletion_protection = in.boolean("DeletionProtectionEnabled").value_or(false);
    request.local_indexes = read_indexes(in, "LocalSecondaryIndexes", false);
    request.global_indexes = read_indexes(in, "GlobalSecondaryIndexes", true);
    request.tags = read_tags(in);
    if (in.has("ResourcePolicy")) {
        request.resource_policy = in.required_text("ResourcePolicy", 1, dynamo::kMaxPolicyBytes);
    }
    GATELEG_TRY(in.problems().check());
    return refuse_unsupported(in);
}

Result<void> read_request(const Fields& in, dynamo::UpdateTableRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_existing_table(in));
    request.attributes = read_attributes(in);
    request.billing_mode = read_billing_mode(in);
    request.throughput = read_throughput(in);
    request.on_demand = read_on_demand(in);
    request.table_class = read_table_class(in);
    request.encryption = read_encryption(in);
    request.stream = read_stream(in);
    request.deletion_protection = in.boolean("DeletionProtectionEnabled");
    if (in.has("GlobalSecondaryIndexUpdates")) {
        auto& updates = request.index_updates.emplace();
        for (const auto& each : in.objects("GlobalSecondaryIndexUpdates")) {
            GATELEG_TRY_ASSIGN(auto update, read_index_update(each));
            updates.push_back(std::move(update));
        }
    }
    GATELEG_TRY(in.problems().check());
    return refuse_unsupported(in);
}

Result<void> read_request(const Fields& in, dynamo::DescribeTableRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_existing_table(in));
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DeleteTableRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_existing_table(in));
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::ListTablesRequest& request) {
    constexpr std::int64_t kMaxLimit = 100;
    in.check_range("Limit", 1, kMaxLimit);
    request.limit = static_cast<std::size_t>(in.integer("Limit").value_or(kMaxLimit));
    request.exclusive_start = in.text("ExclusiveStartTableName");
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::UpdateTimeToLiveRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_existing_table(in));
    const auto specification = in.object("TimeToLiveSpecification");
    if (!specification) {
        in.problems().constraint_on_null("timeToLiveSpecification");
        return in.problems().check();
    }
    specification->require("Enabled");
    request.specification.enabled = specification->boolean("Enabled").value_or(false);
    request.specification.attribute = specification->required_text("AttributeName");
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DescribeTimeToLiveRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_existing_table(in));
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::TagResourceRequest& request) {
    request.arn = in.required_text("ResourceArn", 1, 1283);
    in.require("Tags");
    request.tags = read_tags(in);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::UntagResourceRequest& request) {
    request.arn = in.required_text("ResourceArn", 1, 1283);
    in.require("TagKeys");
    if (const auto keys = in.list("TagKeys")) {
        for (const auto key : *keys) {
            std::string_view text;
            if (key.get_string().get(text) != simdjson::SUCCESS) {
                in.problems().serialization("Unexpected field type");
                break;
            }
            request.keys.emplace_back(text);
        }
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::ListTagsOfResourceRequest& request) {
    request.arn = in.required_text("ResourceArn", 1, 1283);
    request.next_token = in.text("NextToken");
    return in.problems().check();
}

}  // namespace gateleg::api::dynamodb

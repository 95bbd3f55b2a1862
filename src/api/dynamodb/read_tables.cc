#include "api/dynamodb/read_request.h"
#include "api/dynamodb/read_schema.h"

namespace gateleg::api::dynamodb {
namespace {

constexpr std::size_t kMinTableName = 3;

dynamo::Tags read_tags(const Fields& in) {
    constexpr std::size_t kMaxKey = 128;
    constexpr std::size_t kMaxValue = 256;
    dynamo::Tags tags;
    const auto refuse = [&](std::string message) {
        in.problems().later(validation_error(std::move(message)));
    };
    for (const auto& each : in.objects("Tags")) {
        const auto key = each.text("Key");
        const auto text = each.text("Value");
        if (!key || key->empty() || key->size() > kMaxKey) {
            refuse("The Tag Key provided is invalid, Key: " + key.value_or("null"));
        } else if (key->starts_with("aws:")) {
            refuse("Tag Key cannot be prefixed with aws:, Key: " + *key);
        } else if (!text || text->size() > kMaxValue) {
            refuse("The Tag Value provided is invalid, Value: " + text.value_or("null"));
        } else if (!tags.emplace(*key, *text).second) {
            refuse("Duplicate Tag Keys provided as input: Duplicate Tag Key found " + *key);
        }
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
            "[OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]"
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

// Operations on a table as such want a longer name than those on its items.
Result<std::string> read_existing_table(const Fields& in) {
    return read_table_name(in, kMinTableName);
}

Result<dynamo::UpdateTableRequest::IndexUpdate> read_index_update(const Fields& in) {
    dynamo::UpdateTableRequest::IndexUpdate update;
    const auto create = in.object("Create");
    const auto change = in.object("Update");
    const auto remove = in.object("Delete");
    switch (create.has_value() + change.has_value() + remove.has_value()) {
        case 0:
            return validation_error(
                "One or more parameter values were invalid: One of "
                "GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            );
        case 1:
            break;
        default:
            return validation_error(
                "One or more parameter values were invalid: Only one global secondary index "
                "action is allowed per GlobalSecondaryIndexUpdate object"
            );
    }
    if (create) {
        update.create = read_index(*create, true);
    } else if (change) {
        update.update = {
            read_index_name(*change),
            read_throughput(*change, "ProvisionedThroughput"),
            read_on_demand(*change, "OnDemandThroughput"),
            read_warm(*change)};
        if (change->has("WarmThroughput") && !update.update->warm) {
            in.problems().later(validation_error(
                "One or more parameter values were invalid: WarmThroughput must have at least one "
                "of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: " +
                update.update->name
            ));
        }
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
    request.billing_mode = read_billing_mode(in, "BillingMode");
    request.throughput = read_throughput(in, "ProvisionedThroughput");
    request.on_demand = read_on_demand(in, "OnDemandThroughput");
    request.warm = read_warm(in);
    request.table_class = read_table_class(in);
    request.encryption = read_encryption(in, "SSESpecification");
    request.stream = read_stream(in);
    request.deletion_protection = in.boolean("DeletionProtectionEnabled").value_or(false);
    request.local_indexes = read_indexes(in, "LocalSecondaryIndexes", false);
    request.global_indexes = read_indexes(in, "GlobalSecondaryIndexes", true);
    request.tags = read_tags(in);
    request.resource_policy = in.text("ResourcePolicy");
    GATELEG_TRY(in.problems().check());
    if (request.resource_policy) {
        GATELEG_TRY(check_resource_policy(*request.resource_policy));
    }
    return refuse_unsupported(in);
}

Result<void> read_request(const Fields& in, dynamo::UpdateTableRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_existing_table(in));
    request.attributes = read_attributes(in);
    request.billing_mode = read_billing_mode(in, "BillingMode");
    request.throughput = read_throughput(in, "ProvisionedThroughput");
    request.on_demand = read_on_demand(in, "OnDemandThroughput");
    request.warm = read_warm(in);
    request.table_class = read_table_class(in);
    request.encryption = read_encryption(in, "SSESpecification");
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
    GATELEG_TRY(in.problems().check());
    if (request.tags.empty()) {
        return validation_error("Atleast one Tag needs to be provided as Input.");
    }
    return {};
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
    GATELEG_TRY(in.problems().check());
    if (request.keys.empty()) {
        return validation_error("Atleast one Tag Key needs to be provided as Input.");
    }
    return {};
}

Result<void> read_request(const Fields& in, dynamo::ListTagsOfResourceRequest& request) {
    request.arn = in.required_text("ResourceArn", 1, 1283);
    request.next_token = in.text("NextToken");
    return in.problems().check();
}

}  // namespace gateleg::api::dynamodb

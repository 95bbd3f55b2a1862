#include "engine/schema_check.h"

#include <algorithm>
#include <set>
#include <string>

#include "engine/limits.h"
#include "engine/throughput.h"

namespace gateleg::engine {
namespace {

using dynamo::AttributeDefinition;
using dynamo::BillingMode;
using dynamo::IndexDefinition;
using dynamo::KeyRole;
using dynamo::KeySchema;
using dynamo::ProjectionType;

Error parameter_error(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

template <class Strings>
std::string joined(const Strings& names) {
    std::string text;
    for (const auto& name : names) {
        text.append(text.empty() ? "" : ", ").append(name);
    }
    return text;
}

std::set<std::string> defined_names(const std::vector<AttributeDefinition>& attributes) {
    std::set<std::string> names;
    for (const auto& attribute : attributes) {
        names.insert(attribute.name);
    }
    return names;
}

std::vector<std::string> key_names(const KeySchema& schema) {
    std::vector<std::string> names;
    for (const auto& element : schema) {
        names.push_back(element.attribute);
    }
    return names;
}

// One hash attribute and at most one range attribute, in this order and under different names.
Result<void> check_simple_schema(const KeySchema& schema) {
    if (schema[0].role != KeyRole::kHash) {
        return validation_error(
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
        );
    }
    if (schema.size() == 2 && schema[1].role != KeyRole::kRange) {
        return validation_error(
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
        );
    }
    if (schema.size() == 2 && schema[0].attribute == schema[1].attribute) {
        return validation_error("Invalid KeySchema: Some index key attribute have no definition");
    }
    return {};
}

// Up to four hash attributes, then up to four range attributes.
Result<void> check_global_schema(const KeySchema& schema) {
    constexpr std::ptrdiff_t kMaxPerRole = 4;
    const auto is_hash = [](const auto& element) { return element.role == KeyRole::kHash; };
    if (!is_hash(schema[0])) {
        return validation_error(
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
        );
    }
    const auto hashes = std::count_if(schema.begin(), schema.end(), is_hash);
    const auto ranges = static_cast<std::ptrdiff_t>(schema.size()) - hashes;
    if (!std::is_partitioned(schema.begin(), schema.end(), is_hash)) {
        return parameter_error(
            "All HASH key attributes must precede RANGE key attributes in the KeySchema"
        );
    }
    if (hashes > kMaxPerRole || ranges > kMaxPerRole) {
        return parameter_error(
            std::string("The KeySchema exceeds the maximum allowed number of ") +
            (hashes > kMaxPerRole ? "HASH" : "RANGE") + " key attributes"
        );
    }
    const auto names = key_names(schema);
    if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
        return validation_error(
            names.size() == 2
                ? "Both the Hash Key and the Range Key element in the KeySchema have the same name"
                : "The KeySchema contains multiple key attributes with the same name"
        );
    }
    return {};
}

Result<void> check_defined(
    const KeySchema& schema, const std::vector<AttributeDefinition>& attributes
) {
    const auto defined = defined_names(attributes);
    for (const auto& element : schema) {
        if (!defined.contains(element.attribute)) {
            return parameter_error(
                "Some index key attributes are not defined in AttributeDefinitions. Keys: [" +
                joined(key_names(schema)) + "], AttributeDefinitions: [" + joined(defined) + "]"
            );
        }
    }
    return {};
}

Result<void> check_projection(const IndexDefinition& index) {
    const auto& names = index.projection.non_key_attributes;
    if (index.projection.type == ProjectionType::kInclude) {
        if (names.empty()) {
            return parameter_error(
                "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
            );
        }
        std::set<std::string> seen;
        for (const auto& name : names) {
            if (!seen.insert(name).second) {
                return parameter_error("Duplicate element in NonKeyAttributes: " + name);
            }
        }
        return {};
    }
    if (!names.empty()) {
        return parameter_error(
            std::string("ProjectionType is ") +
            (index.projection.type == ProjectionType::kAll ? "ALL" : "KEYS_ONLY") +
            ", but NonKeyAttributes is specified"
        );
    }
    return {};
}

Result<void> check_billing(const dynamo::CreateTableRequest& request) {
    const auto mode = request.billing_mode.value_or(BillingMode::kProvisioned);
    if (mode == BillingMode::kPayPerRequest && request.throughput) {
        return parameter_error(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST"
        );
    }
    if (mode == BillingMode::kProvisioned && !request.throughput) {
        return parameter_error(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
            "PROVISIONED"
        );
    }
    return check_new_throughput(request);
}

Result<void> check_index_names(const dynamo::CreateTableRequest& request) {
    std::set<std::string> names;
    for (const auto* list : {&request.local_indexes, &request.global_indexes}) {
        if (!*list) {
            continue;
        }
        for (const auto& index : **list) {
            if (!names.insert(index.name).second) {
                return parameter_error("Duplicate index name: " + index.name);
            }
        }
    }
    return {};
}

Result<void> check_local_indexes(const dynamo::CreateTableRequest& request) {
    if (!request.local_indexes) {
        return {};
    }
    if (request.local_indexes->empty()) {
        return parameter_error("List of LocalSecondaryIndexes is empty");
    }
    if (request.key_schema.size() < 2) {
        return parameter_error(
            "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex"
        );
    }
    if (request.local_indexes->size() > kMaxLocalIndexes) {
        return parameter_error(
            "Number of LocalSecondaryIndexes exceeds per-table limit of " +
            std::to_string(kMaxLocalIndexes)
        );
    }
    for (const auto& index : *request.local_indexes) {
        GATELEG_TRY(check_simple_schema(index.key_schema));
        GATELEG_TRY(check_defined(index.key_schema, request.attributes));
        if (index.key_schema.size() < 2) {
            return parameter_error(
                "Index KeySchema does not have a range key for index: " + index.name
            );
        }
        if (index.key_schema[0].attribute != request.key_schema[0].attribute) {
            return parameter_error(
                "Index KeySchema does not have the same leading hash key as table KeySchema for "
                "index: " +
                index.name + ". index hash key: " + index.key_schema[0].attribute +
                ", table hash key: " + request.key_schema[0].attribute
            );
        }
        GATELEG_TRY(check_projection(index));
    }
    return {};
}

Result<void> check_global_indexes(const dynamo::CreateTableRequest& request) {
    if (!request.global_indexes) {
        return {};
    }
    if (request.global_indexes->empty()) {
        return parameter_error("List of GlobalSecondaryIndexes is empty");
    }
    if (request.global_indexes->size() > kMaxGlobalIndexes) {
        return parameter_error(
            "GlobalSecondaryIndex count exceeds the per-table limit of " +
            std::to_string(kMaxGlobalIndexes)
        );
    }
    const bool on_demand = request.billing_mode == BillingMode::kPayPerRequest;
    for (const auto& index : *request.global_indexes) {
        GATELEG_TRY(check_global_schema(index.key_schema));
        GATELEG_TRY(check_defined(index.key_schema, request.attributes));
        GATELEG_TRY(check_projection(index));
        if (on_demand && index.throughput) {
            return parameter_error(
                "ProvisionedThroughput should not be specified for index: " + index.name +
                " when BillingMode is PAY_PER_REQUEST"
            );
        }
        if (!on_demand && !index.throughput) {
            return parameter_error(
                "ProvisionedThroughput is not specified for index: " + index.name
            );
        }
        GATELEG_TRY(
            check_new_throughput(request.billing_mode.value_or(BillingMode::kProvisioned), index)
        );
    }
    return {};
}

Error duplicate_attribute(const std::vector<AttributeDefinition>& attributes) {
    std::set<std::string> seen;
    const auto twice = std::find_if(attributes.begin(), attributes.end(), [&](const auto& each) {
        return !seen.insert(each.name).second;
    });
    return validation_error("Attribute Name is duplicated: " + twice->name);
}

Result<void> check_projected_count(std::size_t count) {
    if (count > kMaxProjectedAttributes) {
        return parameter_error(
            "Number of NonKeyAttributes exceeds the limit of " +
            std::to_string(kMaxProjectedAttributes)
        );
    }
    return {};
}

Result<void> check_projected_count(const dynamo::CreateTableRequest& request) {
    std::size_t count = 0;
    for (const auto* list : {&request.local_indexes, &request.global_indexes}) {
        for (const auto& index : list->value_or(std::vector<IndexDefinition>())) {
            count += index.projection.non_key_attributes.size();
        }
    }
    return check_projected_count(count);
}

}  // namespace

Result<void> check_attributes_used(
    const std::vector<AttributeDefinition>& attributes, const std::vector<const KeySchema*>& schemas
) {
    std::set<std::string> used;
    for (const auto* schema : schemas) {
        for (const auto& element : *schema) {
            used.insert(element.attribute);
        }
    }
    const auto defined = defined_names(attributes);
    if (defined.size() != attributes.size()) {
        return duplicate_attribute(attributes);
    }
    if (std::includes(used.begin(), used.end(), defined.begin(), defined.end())) {
        return {};  // what is used without a definition is found with its key
    }
    return parameter_error(
        schemas.size() == 1 ? "Number of attributes in KeySchema does not exactly match number of "
                              "attributes defined in AttributeDefinitions"
                            : "Some AttributeDefinitions are not used. AttributeDefinitions: [" +
                                  joined(defined) + "], keys used: [" + joined(used) + "]"
    );
}

Result<void> check_stream(const dynamo::CreateTableRequest& request) {
    if (!request.stream || request.stream->enabled == request.stream->view.has_value()) {
        return {};
    }
    return parameter_error(
        request.stream->enabled
            ? "Table is being created with a stream enabled, UpdateViewType is required"
            : "Table is being created with a stream disabled, UpdateViewType should not be "
              "specified"
    );
}

Result<void> check_stream(const dynamo::UpdateTableRequest& request) {
    if (!request.stream || request.stream->enabled == request.stream->view.has_value()) {
        return {};
    }
    return parameter_error(
        request.stream->enabled
            ? "If stream is being enabled then UpdateViewType is required"
            : "If stream is being disabled, then UpdateViewType must not be specified"
    );
}

Result<void> check_new_table(const dynamo::CreateTableRequest& request) {
    GATELEG_TRY(check_billing(request));
    GATELEG_TRY(check_stream(request));
    GATELEG_TRY(check_simple_schema(request.key_schema));
    GATELEG_TRY(check_defined(request.key_schema, request.attributes));
    std::vector<const KeySchema*> schemas{&request.key_schema};
    for (const auto* list : {&request.local_indexes, &request.global_indexes}) {
        if (*list) {
            for (const auto& index : **list) {
                schemas.push_back(&index.key_schema);
            }
        }
    }
    GATELEG_TRY(check_attributes_used(request.attributes, schemas));
    GATELEG_TRY(check_index_names(request));
    GATELEG_TRY(check_local_indexes(request));
    GATELEG_TRY(check_global_indexes(request));
    return check_projected_count(request);
}

Result<void> check_new_global_index(
    const Table& table,
    const std::vector<AttributeDefinition>& attributes,
    const IndexDefinition& index
) {
    if (table.find_index(index.name) != nullptr) {
        return validation_error("Attempting to create an index which already exists");
    }
    const auto globals = std::count_if(
        table.indexes.begin(), table.indexes.end(), [](const Index& each) { return each.global; }
    );
    if (static_cast<std::size_t>(globals) >= kMaxGlobalIndexes) {
        return Error{
            ErrorCode::kLimitExceeded,
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table "
            "limit of " +
                std::to_string(kMaxGlobalIndexes)};
    }
    GATELEG_TRY(check_global_schema(index.key_schema));
    GATELEG_TRY(check_defined(index.key_schema, attributes));
    GATELEG_TRY(check_projection(index));
    std::size_t projected = index.projection.non_key_attributes.size();
    for (const auto& each : table.indexes) {
        projected += each.definition.projection.non_key_attributes.size();
    }
    GATELEG_TRY(check_projected_count(projected));
    const bool on_demand = table.description.billing_mode == BillingMode::kPayPerRequest;
    if (on_demand && index.throughput) {
        return parameter_error(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: " +
            index.name + " when BillingMode is PAY_PER_REQUEST"
        );
    }
    if (!on_demand && !index.throughput) {
        return parameter_error(
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: " +
            index.name
        );
    }
    return check_new_throughput(table.description.billing_mode, index);
}

}  // namespace gateleg::engine

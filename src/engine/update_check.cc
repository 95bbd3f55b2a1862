#include "engine/update_check.h"

#include <algorithm>
#include <set>
#include <string>

#include "engine/schema_check.h"

namespace gateleg::engine {
namespace {

using dynamo::BillingMode;
using Request = dynamo::UpdateTableRequest;
using IndexUpdate = Request::IndexUpdate;

Error parameter_error(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

const std::string& index_of(const IndexUpdate& update) {
    return update.create   ? update.create->name
           : update.update ? update.update->name
                           : *update.remove;
}

bool has_index_updates(const Request& request) {
    return request.index_updates && !request.index_updates->empty();
}

template <class Test>
bool any_index_update(const Request& request, Test test) {
    return has_index_updates(request) &&
           std::any_of(request.index_updates->begin(), request.index_updates->end(), test);
}

// How many kinds of change there are; billing mode and throughput are one, the indexes are one.
int count_changes(const Request& request) {
    return static_cast<int>(request.billing_mode || request.throughput) +
           static_cast<int>(request.on_demand.has_value()) +
           static_cast<int>(request.warm.has_value()) +
           static_cast<int>(request.table_class.has_value()) +
           static_cast<int>(request.encryption.has_value()) +
           static_cast<int>(request.deletion_protection.has_value()) +
           static_cast<int>(request.stream.has_value()) +
           static_cast<int>(has_index_updates(request));
}

Result<void> check_indexes(const Request& request) {
    if (!request.index_updates) {
        return {};
    }
    if (request.index_updates->empty()) {
        return parameter_error("List of GlobalSecondaryIndexUpdates is empty");
    }
    std::set<std::string> names;
    for (const auto& update : *request.index_updates) {
        if (!names.insert(index_of(update)).second) {
            return parameter_error(
                "Only one global secondary index update per index is allowed simultaneously. "
                "Index: " +
                index_of(update)
            );
        }
    }
    return {};
}

// Of several that want to be alone, AWS names them in this order. Checked by others 2026-10-09.
Result<void> check_alone(const Request& request) {
    const auto alone = [](std::string_view what) {
        return parameter_error(std::string(what) + " must be the only operation in the request");
    };
    if (count_changes(request) < 2) {
        return {};
    }
    if (request.encryption) {
        return alone("Server-Side Encryption modification");
    }
    if (request.table_class) {
        return alone("TableClass modification");
    }
    if (request.deletion_protection) {
        return alone("DeletionProtection modification");
    }
    if (request.warm) {
        if (any_index_update(request, [](const auto& each) { return each.create.has_value(); })) {
            return parameter_error(
                "Create global secondary index cannot be specified when updating WarmThroughput"
            );
        }
        // Indexes may be warmed with their table.
        if (count_changes(request) > 2 || !has_index_updates(request) ||
            any_index_update(request, [](const auto& each) { return !each.update; })) {
            return alone("WarmThroughput");
        }
    }
    return {};
}

Result<void> check_pairs(const Request& request) {
    const bool provisions = request.throughput || request.billing_mode == BillingMode::kProvisioned;
    const bool makes_or_drops =
        any_index_update(request, [](const auto& each) { return !each.update; });
    if (request.on_demand && (request.stream || request.warm)) {
        return parameter_error(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        );
    }
    if (request.stream && provisions) {
        return parameter_error("You cannot modify stream status while updating table IOPS");
    }
    if (makes_or_drops && provisions) {
        return parameter_error("You cannot create or delete index while updating table IOPS");
    }
    if (makes_or_drops && request.stream) {
        return parameter_error("You cannot create or delete index while changing stream status");
    }
    return {};
}

}  // namespace

Result<void> check_update(const Request& request) {
    if (count_changes(request) == 0) {
        return validation_error(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
            "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
            "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
            "required"
        );
    }
    GATELEG_TRY(check_stream(request));
    GATELEG_TRY(check_indexes(request));
    GATELEG_TRY(check_alone(request));
    return check_pairs(request);
}

}  // namespace gateleg::engine

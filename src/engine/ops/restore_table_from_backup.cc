#include <algorithm>
#include <set>

#include "base/ids.h"
#include "dynamo/named_error.h"
#include "engine/keyspace.h"
#include "engine/ops/backups.h"
#include "engine/ops/catalog_change.h"
#include "engine/table_ids.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::BillingMode;
using Request = dynamo::RestoreTableFromBackupRequest;

Error invalid_request(const std::string& text) {
    return validation_error("Invalid Request: " + text);
}

bool is_same_index(const dynamo::IndexDefinition& left, const dynamo::IndexDefinition& right) {
    const auto names = [](const dynamo::IndexDefinition& index) {
        const auto& included = index.projection.non_key_attributes;
        return std::set<std::string>(included.begin(), included.end());
    };
    return left.key_schema == right.key_schema && left.projection.type == right.projection.type &&
           names(left) == names(right);
}

Result<void> check_billing(const Table& saved, const Request& request) {
    const bool to_on_demand = request.billing_mode == BillingMode::kPayPerRequest;
    const bool provisioned =
        request.billing_mode.value_or(saved.description.billing_mode) == BillingMode::kProvisioned;
    if (request.throughput && to_on_demand) {
        return invalid_request(
            "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
        );
    }
    if (request.throughput && !provisioned) {
        return invalid_request(
            "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED"
        );
    }
    if (!request.throughput && provisioned &&
        saved.description.billing_mode != BillingMode::kProvisioned) {
        return invalid_request(
            "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"
        );
    }
    if (!request.on_demand) {
        return {};
    }
    const auto& limits = *request.on_demand;
    const std::string name = limits.max_read_units ? "MaxReadRequestUnits" : "MaxWriteRequestUnits";
    if (!to_on_demand) {
        return invalid_request(
            "Cannot override " + name +
            " for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST"
        );
    }
    if (limits.max_read_units.value_or(1) < 1 || limits.max_write_units.value_or(1) < 1) {
        return invalid_request(
            "Requested " + name + " for OnDemandThroughput is outside of valid range"
        );
    }
    return {};
}

Result<void> check_index_throughput(
    const dynamo::IndexDefinition& index, BillingMode mode, bool global
) {
    if (global && mode == BillingMode::kProvisioned && !index.throughput) {
        return invalid_request("Must specify provisioned throughput for index " + index.name);
    }
    if (mode == BillingMode::kPayPerRequest && index.throughput) {
        return invalid_request(
            "Cannot override ProvisionedThroughput if BillingMode is overridden to "
            "PAY_PER_REQUEST for index " +
            index.name
        );
    }
    return {};
}

// The indexes of the new table, global or local ones.
Result<std::vector<dynamo::IndexDefinition>> chosen_indexes(
    const Table& saved, const Request& request, bool global
) {
    const auto mode = request.billing_mode.value_or(saved.description.billing_mode);
    std::vector<dynamo::IndexDefinition> there;
    for (const auto& index : saved.indexes) {
        if (index.global == global) {
            there.push_back(index.definition);
            if (mode == BillingMode::kPayPerRequest) {
                there.back().throughput.reset();
            } else {
                there.back().on_demand.reset();
            }
        }
    }
    auto chosen = (global ? request.global_indexes : request.local_indexes).value_or(there);
    for (auto& index : chosen) {
        const auto is_this = [&](const auto& each) { return is_same_index(each, index); };
        if (std::none_of(there.begin(), there.end(), is_this)) {
            return invalid_request(
                "Index " + index.name +
                " does not match a secondary index that existed in the source table and cannot be "
                "created during the restore operation"
            );
        }
        GATELEG_TRY(check_index_throughput(index, mode, global));
        index.warm.reset();
    }
    return chosen;
}

// The table of the backup under another name. Tags, time to live, streams and protection are not
// part of a backup.
Result<Table> restored_table(
    const Core& core, const Table& saved, const Request& request, TableId id
) {
    const auto now = core.clock.now_millis();
    Table table;
    table.id = id;
    auto& made = table.description;
    const auto& old = saved.description;
    made.name = request.table;
    made.arn = "arn:aws:dynamodb:" + core.region + ":" + core.account_id + ":table/" + made.name;
    made.id = random_uuid();
    made.created_millis = now;
    made.key_schema = old.key_schema;
    made.billing_mode = request.billing_mode.value_or(old.billing_mode);
    if (made.billing_mode == BillingMode::kPayPerRequest) {
        made.on_demand_since_millis = now;
    } else {
        made.throughput = request.throughput.value_or(old.throughput);
    }
    if (made.billing_mode == BillingMode::kPayPerRequest) {
        made.on_demand = request.on_demand ? request.on_demand : old.on_demand;
    }
    made.table_class = old.table_class;
    made.encryption = request.encryption ? request.encryption : old.encryption;
    for (const bool global : {false, true}) {
        GATELEG_TRY_ASSIGN(auto chosen, chosen_indexes(saved, request, global));
        for (auto& index : chosen) {
            table.indexes.push_back({
                .id = IndexId{table.next_index_id++},
                .global = global,
                .definition = std::move(index),
            });
        }
    }
    // Only attributes that some key names may be defined.
    for (const auto& attribute : old.attributes) {
        const auto names = [&](const dynamo::KeySchema& schema) {
            return std::any_of(schema.begin(), schema.end(), [&](const auto& element) {
                return element.attribute == attribute.name;
            });
        };
        if (names(made.key_schema) ||
            std::any_of(table.indexes.begin(), table.indexes.end(), [&](const Index& index) {
                return names(index.definition.key_schema);
            })) {
            made.attributes.push_back(attribute);
        }
    }
    sort_names(table);
    compile_table(table);
    return table;
}

Result<dynamo::TableReply> begin(const Core& core, const Request& request, CommitContext& context) {
    GATELEG_TRY_ASSIGN(const auto backup, get_backup(context, request.backup_arn));
    if (!backup.available) {
        return dynamo::named_error(
            ErrorCode::kResourceInUse,
            "BackupInUseException",
            "Backup is being created: " + request.backup_arn
        );
    }
    std::string bytes;
    GATELEG_TRY_ASSIGN(const bool restoring, context.get(restore_key(request.table), bytes));
    if (restoring || context.catalog().find(request.table) != nullptr) {
        return dynamo::named_error(
            ErrorCode::kResourceInUse,
            "TableAlreadyExistsException",
            "Table already exists: " + request.table
        );
    }
    GATELEG_TRY(check_billing(backup.table, request));
    GATELEG_TRY_ASSIGN(const auto id, next_table_id(context));
    GATELEG_TRY_ASSIGN(auto table, restored_table(core, backup.table, request, id));
    const RestoreRecord record{request.backup_arn, std::move(table)};
    context.put(restore_key(request.table), encode_restore(record));
    auto description = describe(record.table, {});
    description.status = dynamo::Status::kCreating;
    return dynamo::TableReply{std::move(description)};
}

}  // namespace

void restore_table_from_backup(
    const Core& core, BackupWorker& worker, Request request, Done<Request> done
) {
    auto name = request.table;
    change_catalog<dynamo::TableReply>(
        core,
        [&core, request = std::move(request)](CommitContext& context) {
            return begin(core, request, context);
        },
        [&worker, name = std::move(name), done = std::move(done)](Result<dynamo::TableReply> reply
        ) mutable {
            if (reply) {
                worker.restore(name);
            }
            done(std::move(reply));
        }
    );
}

}  // namespace gateleg::engine::ops

#include <algorithm>

#include "base/ids.h"
#include "dynamo/named_error.h"
#include "engine/keyspace.h"
#include "engine/ops/backups.h"
#include "engine/ops/catalog_change.h"
#include "engine/table_ids.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::RestoreTableFromBackupRequest;

Result<void> check_index_names(const Table& table, const Request& request) {
    const auto check = [&](const auto& names, bool global) -> Result<void> {
        for (const auto& name : names.value_or(std::vector<std::string>())) {
            const auto* index = table.find_index(name);
            if (index == nullptr || index->global != global) {
                return validation_error(
                    "One or more parameter values were invalid: Index not found in the backup: " +
                    name
                );
            }
        }
        return {};
    };
    GATELEG_TRY(check(request.global_indexes, true));
    return check(request.local_indexes, false);
}

// The table of the backup under another name. Tags, time to live, streams and protection are not
// part of a backup.
Table restored_table(const Core& core, const Table& saved, const Request& request, TableId id) {
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
    if (made.billing_mode == dynamo::BillingMode::kPayPerRequest) {
        made.on_demand_since_millis = now;
    } else {
        made.throughput = request.throughput.value_or(old.throughput);
    }
    made.on_demand = old.on_demand;
    made.table_class = old.table_class;
    made.encryption = old.encryption;
    for (const auto& index : saved.indexes) {
        const auto& kept = index.global ? request.global_indexes : request.local_indexes;
        if (!kept || std::count(kept->begin(), kept->end(), index.definition.name) > 0) {
            table.indexes.push_back({
                .id = IndexId{table.next_index_id++},
                .global = index.global,
                .definition = index.definition,
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
    GATELEG_TRY(check_index_names(backup.table, request));
    GATELEG_TRY_ASSIGN(const auto id, next_table_id(context));
    const RestoreRecord record{request.backup_arn, restored_table(core, backup.table, request, id)};
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

#include "dynamo/named_error.h"
#include "engine/keyspace.h"
#include "engine/ops/backups.h"
#include "engine/ops/catalog_change.h"

namespace gateleg::engine::ops {

Error backup_not_found(std::string_view arn) {
    return dynamo::named_error(
        ErrorCode::kResourceNotFound,
        "BackupNotFoundException",
        "Backup not found: " + std::string(arn)
    );
}

Result<BackupRecord> get_backup(const CommitContext& context, std::string_view arn) {
    std::string bytes;
    GATELEG_TRY_ASSIGN(const bool known, context.get(backup_key(arn), bytes));
    return known ? decode_backup(bytes) : backup_not_found(arn);
}

Result<dynamo::TableReply> describe_restoring(
    const Core& core, const CommitContext& context, const std::string& name
) {
    if (const auto table = context.catalog().find(name)) {
        return dynamo::TableReply{describe(*table, core.committer.counts(table->id))};
    }
    std::string bytes;
    GATELEG_TRY_ASSIGN(const bool restoring, context.get(restore_key(name), bytes));
    if (!restoring) {
        return table_not_found(name);
    }
    GATELEG_TRY_ASSIGN(const auto record, decode_restore(bytes));
    auto description = describe(record.table, core.committer.counts(record.table.id));
    description.status = dynamo::Status::kCreating;
    for (auto* list : {&description.global_indexes, &description.local_indexes}) {
        for (auto& index : *list) {
            index.status = dynamo::Status::kCreating;
        }
    }
    return dynamo::TableReply{std::move(description)};
}

void describe_backup(
    const Core& core,
    dynamo::DescribeBackupRequest request,
    Done<dynamo::DescribeBackupRequest> done
) {
    std::string bytes;
    const auto known = core.store.get(backup_key(request.arn), bytes);
    if (!known) {
        done(known.error());
        return;
    }
    const auto record =
        *known ? decode_backup(bytes) : Result<BackupRecord>(backup_not_found(request.arn));
    if (!record) {
        done(record.error());
        return;
    }
    done(describe(*record));
}

}  // namespace gateleg::engine::ops

#include "dynamo/named_error.h"
#include "engine/keyspace.h"
#include "engine/ops/backups.h"
#include "engine/ops/catalog_change.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::DeleteBackupRequest;

Result<bool> is_being_restored(const storage::Store& store, std::string_view arn) {
    const auto range = all_restores();
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        GATELEG_TRY_ASSIGN(const auto record, decode_restore(cursor->value()));
        if (record.backup_arn == arn) {
            return true;
        }
    }
    GATELEG_TRY(cursor->status());
    return false;
}

Result<dynamo::BackupDescription> remove(
    const Core& core, const Request& request, CommitContext& context
) {
    GATELEG_TRY_ASSIGN(const auto record, get_backup(context, request.arn));
    GATELEG_TRY_ASSIGN(const bool in_use, is_being_restored(core.store, request.arn));
    if (in_use || !record.available) {
        return dynamo::named_error(
            ErrorCode::kResourceInUse,
            "BackupInUseException",
            std::string("Backup is being ") + (in_use ? "restored: " : "created: ") + request.arn
        );
    }
    const auto range = backup_items_range(record.data);
    context.batch().erase_range(range.begin, range.end);
    context.erase(backup_key(request.arn));
    auto description = describe(record);
    description.status = dynamo::BackupStatus::kDeleted;
    return description;
}

}  // namespace

void delete_backup(const Core& core, Request request, Done<Request> done) {
    change_catalog<dynamo::BackupDescription>(
        core,
        [&core, request = std::move(request)](CommitContext& context) {
            return remove(core, request, context);
        },
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

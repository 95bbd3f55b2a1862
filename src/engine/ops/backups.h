// The operations of backups; each has a file of its own.

#pragma once

#include <string>
#include <string_view>

#include "dynamo/backups.h"
#include "engine/backup_record.h"
#include "engine/backup_worker.h"
#include "engine/core.h"

namespace gateleg::engine::ops {

using dynamo::Done;

// NOLINTBEGIN(readability-avoid-const-params-in-decls)
void create_backup(const Core&, BackupWorker&, dynamo::CreateBackupRequest, Done<dynamo::CreateBackupRequest>);
void describe_backup(const Core&, dynamo::DescribeBackupRequest, Done<dynamo::DescribeBackupRequest>);
void delete_backup(const Core&, dynamo::DeleteBackupRequest, Done<dynamo::DeleteBackupRequest>);
void list_backups(const Core&, dynamo::ListBackupsRequest, Done<dynamo::ListBackupsRequest>);
void restore_table_from_backup(const Core&, BackupWorker&, dynamo::RestoreTableFromBackupRequest, Done<dynamo::RestoreTableFromBackupRequest>);
// NOLINTEND(readability-avoid-const-params-in-decls)

// A table that is being restored, as CREATING, or that has just been; else that there is no such
// table. On the commit thread.
Result<dynamo::TableReply> describe_restoring(
    const Core& core, const CommitContext& context, const std::string& name
);

Error backup_not_found(std::string_view arn);
// The newest state on the commit thread.
Result<BackupRecord> get_backup(const CommitContext& context, std::string_view arn);

}  // namespace gateleg::engine::ops

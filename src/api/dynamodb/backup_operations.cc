#include "api/dynamodb/backup_operations.h"

#include <array>

#include "api/dynamodb/backups.h"
#include "api/dynamodb/write_reply.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::Backups;

void write_restored(std::string& out, const dynamo::TableReply& reply) {
    write_table(out, "TableDescription", reply.table);
}

using enum auth::Action;

constexpr std::array kOperations = {
    BackupOperation{
        "CreateBackup",
        {kAdmin, touches::table},
        &run_service<dynamo::CreateBackupRequest, &Backups::create_backup, write_backup_details>},
    BackupOperation{
        "DeleteBackup",
        {kAdmin, touches::backup},
        &run_service<dynamo::DeleteBackupRequest, &Backups::delete_backup, write_reply>},
    BackupOperation{
        "DescribeBackup",
        {kRead, touches::backup},
        &run_service<dynamo::DescribeBackupRequest, &Backups::describe_backup, write_reply>},
    BackupOperation{
        "ListBackups",
        {kRead, touches::table},
        &run_service<dynamo::ListBackupsRequest, &Backups::list_backups, write_reply>},
    BackupOperation{
        "RestoreTableFromBackup",
        {kAdmin, touches::restore},
        &run_service<
            dynamo::RestoreTableFromBackupRequest,
            &Backups::restore_table_from_backup,
            write_restored>},
};

}  // namespace

const BackupOperation* find_backup_operation(std::string_view name) {
    return find_among(kOperations, name);
}

}  // namespace gateleg::api::dynamodb

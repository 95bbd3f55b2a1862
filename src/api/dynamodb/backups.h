// The operations of backups on the wire: from JSON to their types, and back.

#pragma once

#include <string>

#include "api/dynamodb/wire_reader.h"
#include "base/result.h"
#include "dynamo/backups.h"

namespace gateleg::api::dynamodb {

Result<void> read_request(const Fields& in, dynamo::CreateBackupRequest& request);
Result<void> read_request(const Fields& in, dynamo::DescribeBackupRequest& request);
Result<void> read_request(const Fields& in, dynamo::DeleteBackupRequest& request);
Result<void> read_request(const Fields& in, dynamo::ListBackupsRequest& request);
Result<void> read_request(const Fields& in, dynamo::RestoreTableFromBackupRequest& request);

// CreateBackup shows the backup alone, the others also the table it is of.
void write_backup_details(std::string& out, const dynamo::BackupDescription& backup);
void write_reply(std::string& out, const dynamo::BackupDescription& backup);
void write_reply(std::string& out, const dynamo::ListBackupsReply& reply);

}  // namespace gateleg::api::dynamodb

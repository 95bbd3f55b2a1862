// Backups of tables: the requests and replies of their operations, and who answers them. A store
// over the network has none of this here, so it is an interface of its own.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/dynamo.h"
#include "dynamo/schema.h"

namespace gateleg::dynamo {

enum class BackupStatus : std::uint8_t { kCreating, kAvailable, kDeleted };

struct BackupDescription {
    std::string arn;
    std::string name;
    BackupStatus status = BackupStatus::kCreating;
    std::int64_t created_millis = 0;
    // The table as it was at that moment, its counts included.
    TableDescription table;
    std::optional<std::string> ttl_attribute;
};

struct CreateBackupRequest {
    using Reply = BackupDescription;
    std::string table;
    std::string name;
};

struct DescribeBackupRequest {
    using Reply = BackupDescription;
    std::string arn;
};

struct DeleteBackupRequest {
    using Reply = BackupDescription;
    std::string arn;
};

struct ListBackupsReply {
    std::vector<BackupDescription> backups;
    std::optional<std::string> last_evaluated_arn;
};

struct ListBackupsRequest {
    using Reply = ListBackupsReply;
    std::optional<std::string> table;
    std::optional<std::int64_t> from_millis;   // at or after
    std::optional<std::int64_t> until_millis;  // before
    std::optional<std::string> exclusive_start_arn;
    std::size_t limit = 100;
};

struct RestoreTableFromBackupRequest {
    using Reply = TableReply;
    std::string table;
    std::string backup_arn;
    std::optional<BillingMode> billing_mode;
    std::optional<Throughput> throughput;
    std::optional<OnDemandThroughput> on_demand;
    std::optional<ServerSideEncryption> encryption;
    // The indexes that the new table gets; all of the backup unless given. Each is one of the
    // backup's by its keys and projection, under any name.
    std::optional<std::vector<IndexDefinition>> global_indexes;
    std::optional<std::vector<IndexDefinition>> local_indexes;
};

// Answers as Dynamo does. Thread-safe.
class Backups {
public:
    virtual ~Backups() = default;

    virtual void create_backup(CreateBackupRequest, Done<CreateBackupRequest>) = 0;
    virtual void describe_backup(DescribeBackupRequest, Done<DescribeBackupRequest>) = 0;
    virtual void delete_backup(DeleteBackupRequest, Done<DeleteBackupRequest>) = 0;
    virtual void list_backups(ListBackupsRequest, Done<ListBackupsRequest>) = 0;
    virtual void
        restore_table_from_backup(RestoreTableFromBackupRequest, Done<RestoreTableFromBackupRequest>) = 0;
};

}  // namespace gateleg::dynamo

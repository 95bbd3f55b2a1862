// What the store keeps of a backup beside its items, and of a restore that is under way.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "dynamo/backups.h"
#include "engine/table.h"

namespace gateleg::engine {

struct BackupRecord {
    std::string arn;
    std::string name;
    // Where its items lie. Given out like the id of a table, and as little used again.
    TableId data{};
    bool available = false;
    std::int64_t created_millis = 0;
    // The table at that moment.
    Table table;
    TableCounts counts;
};

// A table that is being filled from a backup; it joins the catalog when it is whole.
struct RestoreRecord {
    std::string backup_arn;
    Table table;
};

std::string encode_backup(const BackupRecord& record);
Result<BackupRecord> decode_backup(std::string_view bytes);
std::string encode_restore(const RestoreRecord& record);
Result<RestoreRecord> decode_restore(std::string_view bytes);

dynamo::BackupDescription describe(const BackupRecord& record);

}  // namespace gateleg::engine

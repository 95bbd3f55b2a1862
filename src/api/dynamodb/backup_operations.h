// The operations on backups of tables.

#pragma once

#include <string_view>

#include "api/dynamodb/service_operation.h"
#include "dynamo/backups.h"

namespace gateleg::api::dynamodb {

using BackupOperation = ServiceOperation<dynamo::Backups>;

// Null for a name that is not one of them.
const BackupOperation* find_backup_operation(std::string_view name);

}  // namespace gateleg::api::dynamodb

#include "engine/keyspace.h"
#include "engine/ops/backups.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::ListBackupsRequest;

bool is_wanted(const Request& request, const BackupRecord& record) {
    return (!request.table || record.table.name() == *request.table) &&
           (!request.from_millis || record.created_millis >= *request.from_millis) &&
           (!request.until_millis || record.created_millis < *request.until_millis);
}

Result<dynamo::ListBackupsReply> list(const Core& core, const Request& request) {
    dynamo::ListBackupsReply reply;
    const auto range = all_backups();
    const auto cursor = core.store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    cursor->seek(
        request.exclusive_start_arn ? backup_key(*request.exclusive_start_arn) + '\0' : range.begin
    );
    for (; cursor->valid(); cursor->next()) {
        GATELEG_TRY_ASSIGN(const auto record, decode_backup(cursor->value()));
        if (!is_wanted(request, record)) {
            continue;
        }
        if (reply.backups.size() == request.limit) {
            reply.last_evaluated_arn = reply.backups.back().arn;
            break;
        }
        reply.backups.push_back(describe(record));
    }
    GATELEG_TRY(cursor->status());
    return reply;
}

}  // namespace

void list_backups(const Core& core, Request request, Done<Request> done) {
    done(list(core, request));
}

}  // namespace gateleg::engine::ops

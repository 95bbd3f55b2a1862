#include <array>
#include <cstdio>

#include "base/ids.h"
#include "dynamo/named_error.h"
#include "engine/keyspace.h"
#include "engine/ops/backups.h"
#include "engine/ops/catalog_change.h"
#include "engine/table_ids.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::CreateBackupRequest;

// A backup that has been noted, and the moment it is of.
struct Begun {
    BackupRecord record;
    std::shared_ptr<const storage::Snapshot> snapshot;
};

// "01489602797149-73d8d5bc": the millisecond, and something to tell two of one millisecond apart.
std::string backup_id(std::int64_t millis) {
    std::array<char, 32> text{};
    std::snprintf(
        text.data(), text.size(), "%014lld-", static_cast<long long>(millis)  // NOLINT
    );
    return text.data() + random_uuid().substr(0, 8);
}

Result<Begun> begin(const Core& core, const Request& request, CommitContext& context) {
    const auto table = context.catalog().find(request.table);
    if (table == nullptr) {
        return dynamo::named_error(
            ErrorCode::kResourceNotFound,
            "TableNotFoundException",
            "Table not found: " + request.table
        );
    }
    Begun begun;
    auto& record = begun.record;
    record.name = request.name;
    record.created_millis = core.clock.now_millis();
    record.arn = table->description.arn + "/backup/" + backup_id(record.created_millis);
    record.table = *table;
    for (const auto& index : table->indexes) {
        record.counts[index.id] = context.counts(table->id, index.id);
    }
    record.counts[kPrimary] = context.counts(table->id, kPrimary);
    GATELEG_TRY_ASSIGN(record.data, next_table_id(context));
    context.put(backup_key(record.arn), encode_backup(record));
    // This batch is the operation's own, so the store is exactly what came before it.
    begun.snapshot = core.store.snapshot();
    return begun;
}

}  // namespace

void create_backup(const Core& core, BackupWorker& worker, Request request, Done<Request> done) {
    change_catalog<Begun>(
        core,
        [&core, request = std::move(request)](CommitContext& context) {
            return begin(core, request, context);
        },
        [&worker, done = std::move(done)](Result<Begun> begun) mutable {
            if (!begun) {
                done(std::move(begun).error());
                return;
            }
            auto description = describe(begun->record);
            worker.copy((*begun).record, begun->snapshot);
            done(std::move(description));
        }
    );
}

}  // namespace gateleg::engine::ops

#include "model/repair.h"

#include <map>

#include "model/entity_keys.h"
#include "model/fsck.h"
#include "model/request_text.h"

namespace gateleg::model {
namespace {

using value::Item;

// Deletes it if it is still exactly as it was read. False if it is not.
Result<bool> delete_unchanged(Shared& shared, Database& database, const Item& raw) {
    const auto& table = shared.model.table;
    Write write;
    write.kind = dynamo::TransactAction::kDelete;
    write.item = key_of(table, raw);
    RequestText text(table, shared.clock.now_millis());
    for (const auto& [name, value] : raw) {
        if (!table.is_primary_key(name)) {
            text.require(text.unchanged(name, &value));
        }
    }
    text.require(text.existence(true));
    std::move(text).finish(write);
    GATELEG_TRY_ASSIGN(const auto refused, database.write({write}));
    return refused.empty();
}

}  // namespace

CallResult<RepairReport> run_repair(
    Shared& shared,
    Database& database,
    std::size_t most,
    const std::function<void(std::string_view stage)>& on_stage
) {
    const auto stage = [&](std::string_view name) {
        if (on_stage) {
            on_stage(name);
        }
    };
    RepairReport report;
    std::vector<Item> first;
    stage("looking for what is wrong");
    GATELEG_CALL_TRY_ASSIGN_CALL(report.left, run_fsck(shared, database, most, &first));
    if (report.left.found == 0) {
        return report;
    }
    stage("rewriting keys and rows");
    GATELEG_CALL_TRY_ASSIGN_CALL(report.rewritten, run_backfill(shared, database, {}));
    stage("looking again");
    std::vector<Item> second;
    GATELEG_CALL_TRY_ASSIGN_CALL(report.left, run_fsck(shared, database, most, &second));
    std::map<std::string, const Item*> seen;
    for (const auto& raw : first) {
        seen[value::encode_item(raw).bytes()] = &raw;
    }
    for (const auto& raw : second) {
        if (seen.contains(value::encode_item(raw).bytes())) {
            GATELEG_CALL_TRY_ASSIGN(const auto gone, delete_unchanged(shared, database, raw));
            report.orphans_deleted += gone ? 1 : 0;
        }
    }
    if (report.orphans_deleted > 0) {
        stage("completing rows");
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto again, run_backfill(shared, database, {}));
        report.rewritten.position.counts.changed += again.position.counts.changed;
        report.rewritten.position.counts.rows += again.position.counts.rows;
        GATELEG_CALL_TRY_ASSIGN_CALL(report.left, run_fsck(shared, database, most));
    }
    return report;
}

}  // namespace gateleg::model

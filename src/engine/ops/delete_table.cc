#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"
#include "engine/stream_log.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::DeleteTableRequest;

Result<dynamo::TableReply> remove(const std::string& name, CommitContext& context) {
    const auto table = context.catalog().find(name);
    if (table == nullptr) {
        return table_not_found(name);
    }
    if (table->description.deletion_protection) {
        return validation_error(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        );
    }
    for (const auto& index : table->indexes) {
        context.backfill_positions().erase({table->id, index.id});
    }
    context.backfill_positions().erase({table->id, kTimeToLive});
    auto removed = *table;
    if (removed.has_enabled_stream()) {
        close_stream(context, removed);
    }
    context.remove_table(removed);
    auto description = describe(removed, {});
    description.status = dynamo::Status::kDeleting;
    return dynamo::TableReply{std::move(description)};
}

}  // namespace

void delete_table(const Core& core, Request request, Done<Request> done) {
    change_catalog<dynamo::TableReply>(
        core,
        [name = std::move(request.table)](CommitContext& context) { return remove(name, context); },
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::ChangeTableSettingRequest;
using dynamo::TableSettingsReply;

TableSettingsReply settings_of(const Table& table) {
    return {
        .table = table.name(),
        .created_millis = table.description.created_millis,
        .settings = table.settings,
    };
}

Result<TableSettingsReply> change(
    const ChangeTableSettingRequest& request, CommitContext& context
) {
    const auto before = context.catalog().find(request.table);
    if (before == nullptr) {
        return table_not_found(request.table);
    }
    auto changed = std::make_shared<Table>(*before);
    if (request.value) {
        changed->settings[request.name] = *request.value;
        context.note_growth();
    } else {
        changed->settings.erase(request.name);
    }
    context.store_table(changed);
    return settings_of(*changed);
}

}  // namespace

void get_table_settings(
    const Core& core,
    dynamo::GetTableSettingsRequest request,
    Done<dynamo::GetTableSettingsRequest> done
) {
    const auto table = core.committer.catalog()->find(request.table);
    if (table == nullptr) {
        done(table_not_found(request.table));
        return;
    }
    done(settings_of(*table));
}

void change_table_setting(
    const Core& core, ChangeTableSettingRequest request, Done<ChangeTableSettingRequest> done
) {
    change_catalog<TableSettingsReply>(
        core,
        [request = std::move(request)](CommitContext& context) { return change(request, context); },
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

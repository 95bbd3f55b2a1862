#include "engine/keyspace.h"
#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {
namespace {

using Specification = dynamo::TimeToLiveSpecification;

Result<Specification> update(
    const std::string& name, const Specification& wanted, CommitContext& context
) {
    const auto before = context.catalog().find(name);
    if (before == nullptr) {
        return table_not_found(name);
    }
    if (before->ttl_attribute && *before->ttl_attribute != wanted.attribute) {
        return validation_error(
            "TimeToLive is active on a different AttributeName: current AttributeName is " +
            *before->ttl_attribute
        );
    }
    if (before->ttl_attribute.has_value() == wanted.enabled) {
        return validation_error(
            wanted.enabled ? "TimeToLive is already enabled" : "TimeToLive is already disabled"
        );
    }
    auto changed = std::make_shared<Table>(*before);
    if (wanted.enabled) {
        changed->ttl_attribute = wanted.attribute;
        changed->ttl_backfilling = true;
    } else {
        changed->ttl_attribute.reset();
        changed->ttl_backfilling = false;
        const auto range = table_ttl_range(changed->id);
        context.batch().erase_range(range.begin, range.end);
        context.backfill_positions().erase({changed->id, kTimeToLive});
    }
    context.store_table(std::move(changed));
    context.note_growth();
    return wanted;
}

}  // namespace

void update_time_to_live(
    const Core& core,
    dynamo::UpdateTimeToLiveRequest request,
    Done<dynamo::UpdateTimeToLiveRequest> done
) {
    change_catalog<Specification>(
        core,
        [request = std::move(request)](CommitContext& context) {
            return update(request.table, request.specification, context);
        },
        std::move(done)
    );
}

void describe_time_to_live(
    const Core& core,
    dynamo::DescribeTimeToLiveRequest request,
    Done<dynamo::DescribeTimeToLiveRequest> done
) {
    const auto table = core.committer.catalog()->find(request.table);
    if (table == nullptr) {
        done(table_not_found(request.table));
        return;
    }
    done(dynamo::TimeToLiveDescription{table->ttl_attribute});
}

}  // namespace gateleg::engine::ops

#include "engine/ops/backups.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {

void describe_table(
    const Core& core, dynamo::DescribeTableRequest request, Done<dynamo::DescribeTableRequest> done
) {
    const auto table = core.committer.catalog()->find(request.table);
    if (table == nullptr) {
        done(describe_restoring(core, request.table));
        return;
    }
    done(dynamo::TableReply{describe(*table, core.committer.counts(table->id))});
}

}  // namespace gateleg::engine::ops

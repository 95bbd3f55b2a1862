#include "engine/ops/backups.h"
#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {

void describe_table(
    const Core& core, dynamo::DescribeTableRequest request, Done<dynamo::DescribeTableRequest> done
) {
    const auto table = core.committer.catalog()->find(request.table);
    if (table != nullptr) {
        done(dynamo::TableReply{describe(*table, core.committer.counts(table->id))});
        return;
    }
    // A restore that ends turns its record into a table. Only the commit thread sees both at one
    // moment; anybody else could miss the one and then the other.
    change_catalog<dynamo::TableReply>(
        core,
        [&core, name = std::move(request.table)](CommitContext& context) {
            return describe_restoring(core, context, name);
        },
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

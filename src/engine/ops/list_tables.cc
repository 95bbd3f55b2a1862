#include "engine/ops/operations.h"

namespace gateleg::engine::ops {

void list_tables(
    const Core& core, dynamo::ListTablesRequest request, Done<dynamo::ListTablesRequest> done
) {
    const auto catalog = core.committer.catalog();
    auto next = request.exclusive_start ? catalog->tables.upper_bound(*request.exclusive_start)
                                        : catalog->tables.begin();
    dynamo::ListTablesReply reply;
    for (; next != catalog->tables.end() && reply.names.size() < request.limit; ++next) {
        reply.names.push_back(next->first);
    }
    if (next != catalog->tables.end()) {
        reply.last_evaluated = reply.names.back();
    }
    done(std::move(reply));
}

}  // namespace gateleg::engine::ops

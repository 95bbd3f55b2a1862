#include "engine/item_writer.h"
#include "engine/ops/operations.h"
#include "engine/page_reader.h"

namespace gateleg::engine::ops {
namespace {

Result<dynamo::PageReply> run(const Core& core, const dynamo::ScanRequest& request) {
    const auto& page = request.page;
    GATELEG_TRY(check_placeholders(
        page.placeholders,
        page.projection
            ? std::initializer_list<
                  NamedExpression>{{"FilterExpression", page.filter.has_value()}, {"ProjectionExpression", true}}
            : std::initializer_list<NamedExpression>{{"FilterExpression", page.filter.has_value()}}
    ));
    PageReader reader(core, page);
    reader.open_scope();
    GATELEG_TRY(reader.compile());
    GATELEG_TRY(reader.bind());
    return reader.read(
        segment_range(
            reader.table().id, reader.index_id(), request.segment, request.total_segments
        ),
        true
    );
}

}  // namespace

void scan(const Core& core, dynamo::ScanRequest request, Done<dynamo::ScanRequest> done) {
    done(run(core, request));
}

}  // namespace gateleg::engine::ops

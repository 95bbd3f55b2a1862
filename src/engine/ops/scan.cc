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
    const auto range = segment_range(
        reader.table().id, reader.index_id(), request.segment, request.total_segments
    );
    GATELEG_TRY(reader.check_start_inside(
        range,
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
        "ExclusiveStartKey with correct Segment. TotalSegments: " +
            std::to_string(request.total_segments) + " Segment: " + std::to_string(request.segment)
    ));
    return reader.read(range, true);
}

}  // namespace

void scan(const Core& core, dynamo::ScanRequest request, Done<dynamo::ScanRequest> done) {
    done(run(core, request));
}

}  // namespace gateleg::engine::ops

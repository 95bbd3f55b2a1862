// Reads a whole table in segments, within a budget, from where an earlier run has ended.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "dynamo/dynamo.h"
#include "transfer/control.h"
#include "transfer/json_members.h"
#include "value/value_view.h"

namespace gateleg::transfer {

// How far a segment has come.
struct SegmentPosition {
    std::optional<value::EncodedItem> next = {};  // the last key that is done
    bool finished = false;
    std::int64_t items = 0;
};
// Members of an open object, and back.
void write_position(JsonWriter& json, const SegmentPosition& position);
Result<SegmentPosition> parse_position(const JsonMembers& members);

struct ReadTable {
    std::string table;
    std::uint32_t segments = 1;
    bool consistent = false;
    Budget& units;  // read capacity units
    Budget& items;
};

// Called for each page with the items and the position after it, by the thread of the segment.
using OnPage = std::function<Result<void>(
    std::uint32_t segment, const dynamo::PageReply& page, const SegmentPosition& after
)>;

// A thread a segment. Ends with the first error of any of them, or when it is stopped; segments
// that are not finished say so in their last position.
Result<void> read_segments(
    dynamo::Dynamo& dynamo,
    const ReadTable& request,
    std::vector<SegmentPosition> positions,
    const Control& control,
    const OnPage& on_page
);

// Counts by Scan, as the stored count of a table may be hours old.
Result<std::int64_t> count_items(
    dynamo::Dynamo& dynamo, const ReadTable& request, const Control& control
);

}  // namespace gateleg::transfer

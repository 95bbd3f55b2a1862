// One function per operation of the DynamoDB Streams API. All only read.

#pragma once

#include <memory>
#include <string>

#include "dynamo/change_feed.h"
#include "dynamo/streams.h"
#include "engine/core.h"
#include "engine/stream.h"

namespace gateleg::engine::ops {

using dynamo::Done;

// NOLINTBEGIN(readability-avoid-const-params-in-decls)
void list_streams(const Core&, dynamo::ListStreamsRequest, Done<dynamo::ListStreamsRequest>);
void describe_stream(const Core&, dynamo::DescribeStreamRequest, Done<dynamo::DescribeStreamRequest>);
void get_shard_iterator(const Core&, dynamo::GetShardIteratorRequest, Done<dynamo::GetShardIteratorRequest>);
void get_records(const Core&, dynamo::GetRecordsRequest, Done<dynamo::GetRecordsRequest>);
// NOLINTEND(readability-avoid-const-params-in-decls)

Result<dynamo::ChangesRange> changes_range(const Core& core, const std::string& table);
Result<dynamo::ChangesReply> read_changes(const Core& core, const dynamo::ChangesRequest& request);

// The stream under `arn`, or why there is none.
Result<std::shared_ptr<const Stream>> get_stream(const Core& core, const std::string& arn);
// The last number given out as of now: every record up to it can be read.
Result<Sequence> last_sequence(const Core& core);
Error trimmed_data_access();

}  // namespace gateleg::engine::ops

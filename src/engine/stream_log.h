// Writes a table's stream: each record goes into the batch of the write that it describes.
//
// Everything here but the decoding runs on the commit thread.

#pragma once

#include <memory>
#include <string_view>

#include "dynamo/streams.h"
#include "engine/commit_context.h"
#include "engine/index_writer.h"
#include "engine/stream.h"

namespace gateleg::engine {

// Adds the record of `change` to the stream of its table, which is enabled. Nothing is added when
// the item stays as it is.
void append_stream_record(CommitContext& context, const ItemChange& change);

// A record as it is stored, under the key that keyspace.h gives it.
dynamo::StreamRecord decode_stream_record(
    const Stream& stream, Sequence sequence, std::string_view bytes
);

// Switches a stream on for `table`, which has none enabled, and notes it there. The caller stores
// the table.
void open_stream(CommitContext& context, Table& table, dynamo::StreamView view);
// Closes the table's enabled stream; its records stay readable for a day. The caller stores the
// table, or removes it.
void close_stream(CommitContext& context, Table& table);

// What time alone asks for: new shards after a while, old records and shards gone after a day, and
// then a disabled stream itself.
bool needs_tending(const Stream& stream, std::int64_t now_millis);
void tend_stream(CommitContext& context, const Stream& stream, std::int64_t now_millis);

}  // namespace gateleg::engine

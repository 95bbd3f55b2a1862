// Parts of the descriptions of tables and streams.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dynamo/schema.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote::internal {

// Times are seconds with a fraction.
std::optional<std::int64_t> decode_millis(const ReplyReader& in, std::string_view member);
dynamo::KeySchema decode_key_schema(const ReplyReader& in);
dynamo::StreamView decode_stream_view(const ReplyReader& in);

}  // namespace gateleg::remote::internal

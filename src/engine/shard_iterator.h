// A shard iterator: a place in a shard, as the text that a client holds between its calls.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/stream.h"

namespace gateleg::engine {

inline constexpr std::int64_t kIteratorLifetimeMillis = std::int64_t{15} * 60 * 1000;

struct ShardIterator {
    std::string stream_arn;
    ShardNumber shard = 0;
    // The next record is the first one behind this number.
    Sequence position = 0;
    // Records behind `position` may have been written a long time ago. If they have been trimmed
    // since, then reading on would leave them out without a word.
    bool may_skip = false;
    std::int64_t issued_millis = 0;
};

// "arn|1|base64". Nothing secret is in it, but it carries a checksum.
std::string encode_iterator(const ShardIterator& iterator);
std::optional<ShardIterator> decode_iterator(std::string_view text);

}  // namespace gateleg::engine

#include "engine/shard_iterator.h"

#include <cstring>

#include "base/base64.h"
#include "base/hash.h"

namespace gateleg::engine {
namespace {

// Its bytes are what a client gets. A release that changes it changes the digit between the bars.
struct Body {
    std::uint64_t position = 0;
    std::int64_t issued_millis = 0;
    std::uint32_t shard = 0;
    std::uint32_t may_skip = 0;
    std::uint64_t checksum = 0;
};

constexpr std::string_view kVersion = "|1|";

std::uint64_t checksum_of(std::string_view arn, const Body& body) {
    std::string text(arn);
    text.append(reinterpret_cast<const char*>(&body), offsetof(Body, checksum));
    return hash64(text);
}

}  // namespace

std::string encode_iterator(const ShardIterator& iterator) {
    Body body{
        .position = iterator.position,
        .issued_millis = iterator.issued_millis,
        .shard = iterator.shard,
        .may_skip = iterator.may_skip ? 1U : 0U,
    };
    body.checksum = checksum_of(iterator.stream_arn, body);
    std::string text = iterator.stream_arn;
    text.append(kVersion);
    append_base64(text, {reinterpret_cast<const char*>(&body), sizeof body});
    return text;
}

std::optional<ShardIterator> decode_iterator(std::string_view text) {
    const auto bar = text.find(kVersion);
    std::string bytes;
    if (bar == std::string_view::npos ||
        !append_decoded_base64(bytes, text.substr(bar + kVersion.size())) ||
        bytes.size() != sizeof(Body)) {
        return std::nullopt;
    }
    const auto arn = text.substr(0, bar);
    Body body;
    std::memcpy(&body, bytes.data(), sizeof body);
    if (body.checksum != checksum_of(arn, body)) {
        return std::nullopt;
    }
    return ShardIterator{
        .stream_arn = std::string(arn),
        .shard = body.shard,
        .position = body.position,
        .may_skip = body.may_skip != 0,
        .issued_millis = body.issued_millis,
    };
}

}  // namespace gateleg::engine

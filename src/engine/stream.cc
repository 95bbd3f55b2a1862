#include "engine/stream.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "engine/definition_codec.h"

namespace gateleg::engine {
namespace {

using definition::decode_schema;
using definition::encode_schema;
using definition::Members;
using definition::number;
using definition::text;
using value::Item;
using value::List;

// A million records a millisecond before the counter runs into the next one's numbers, which does
// no harm either.
constexpr int kCounterBits = 20;
constexpr std::int64_t kMaxMillis = (std::int64_t{1} << 43) - 1;

Item encode_generation(const ShardGeneration& generation) {
    Item item{
        {"number", number(generation.number)},
        {"started", number(generation.started_millis)},
        {"first", number(static_cast<std::int64_t>(generation.first_sequence))},
    };
    if (generation.last_sequence) {
        item["last"] = number(static_cast<std::int64_t>(*generation.last_sequence));
    }
    return item;
}

ShardGeneration decode_generation(const Item& item) {
    const Members members(item);
    ShardGeneration generation{
        .number = static_cast<std::uint32_t>(members.number("number")),
        .started_millis = members.number("started"),
        .first_sequence = static_cast<Sequence>(members.number("first")),
        .last_sequence = std::nullopt,
    };
    if (members.has("last")) {
        generation.last_sequence = static_cast<Sequence>(members.number("last"));
    }
    return generation;
}

}  // namespace

const ShardGeneration* Stream::generation_of(ShardNumber shard) const {
    const auto found = std::find_if(generations.begin(), generations.end(), [&](const auto& each) {
        return each.number == shard / shards_per_generation;
    });
    return found == generations.end() ? nullptr : &*found;
}

std::string stream_arn(std::string_view table_arn, std::string_view label) {
    return std::string(table_arn).append("/stream/").append(label);
}

std::string encode_stream(const Stream& stream) {
    List generations;
    for (const auto& generation : stream.generations) {
        generations.push_back({encode_generation(generation)});
    }
    Item item{
        {"id", number(static_cast<std::int64_t>(stream.id))},
        {"arn", text(stream.arn)},
        {"label", text(stream.label)},
        {"table", text(stream.table_name)},
        {"view", number(static_cast<int>(stream.view))},
        {"created", number(stream.created_millis)},
        {"schema", {encode_schema(stream.key_schema)}},
        {"shards", number(stream.shards_per_generation)},
        {"generations", {std::move(generations)}},
    };
    if (stream.disabled_millis) {
        item["disabled"] = number(*stream.disabled_millis);
    }
    return value::encode_item(item).bytes();
}

Result<Stream> decode_stream(std::string_view bytes) {
    if (bytes.empty()) {
        return internal_error("empty stream definition");
    }
    const Item item = value::decode_item(value::ValueView(bytes.data()));
    const Members members(item);
    Stream stream;
    stream.id = static_cast<StreamId>(members.number("id"));
    stream.arn = members.text("arn");
    stream.label = members.text("label");
    stream.table_name = members.text("table");
    stream.view = static_cast<dynamo::StreamView>(members.number("view"));
    stream.created_millis = members.number("created");
    stream.key_schema = decode_schema(members.list("schema"));
    stream.shards_per_generation =
        static_cast<ShardNumber>(std::max<std::int64_t>(1, members.number("shards")));
    for (const auto& each : members.list("generations")) {
        stream.generations.push_back(decode_generation(std::get<Item>(each.data)));
    }
    if (members.has("disabled")) {
        stream.disabled_millis = members.number("disabled");
    }
    if (stream.generations.empty()) {
        return internal_error("stream without shards: " + stream.arn);
    }
    return stream;
}

std::string encode_sequence(Sequence sequence) {
    return {reinterpret_cast<const char*>(&sequence), sizeof sequence};
}

Sequence decode_sequence(std::string_view bytes) {
    Sequence sequence = 0;
    std::memcpy(&sequence, bytes.data(), std::min(bytes.size(), sizeof sequence));
    return sequence;
}

Sequence sequence_at(std::int64_t millis) {
    return static_cast<Sequence>(std::clamp<std::int64_t>(millis, 0, kMaxMillis)) << kCounterBits;
}

std::string sequence_text(Sequence sequence) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%021llu", static_cast<unsigned long long>(sequence));
    return digits;
}

std::optional<Sequence> parse_sequence(std::string_view text) {
    Sequence sequence = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), sequence);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        return std::nullopt;
    }
    return sequence;
}

Sequence trim_horizon(std::int64_t now_millis) {
    return sequence_at(now_millis - kStreamRetentionMillis);
}

std::string shard_id(const ShardGeneration& generation, ShardNumber shard) {
    char text[64];
    std::snprintf(
        text,
        sizeof text,
        "shardId-%020lld-%08x",
        static_cast<long long>(generation.started_millis),
        static_cast<unsigned>(shard)
    );
    return text;
}

std::optional<ShardNumber> find_shard(const Stream& stream, std::string_view id) {
    const auto dash = id.rfind('-');
    if (dash == std::string_view::npos) {
        return std::nullopt;
    }
    const auto digits = id.substr(dash + 1);
    ShardNumber shard = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), shard, 16);
    const auto* generation = stream.generation_of(shard);
    if (generation == nullptr || shard_id(*generation, shard) != id) {
        return std::nullopt;
    }
    return shard;
}

}  // namespace gateleg::engine

#include "engine/stream_log.h"

#include <algorithm>
#include <cstdio>

#include "base/hash.h"
#include "base/time_text.h"
#include "engine/keyspace.h"
#include "value/item_size.h"
#include "value/value_writer.h"

namespace gateleg::engine {
namespace {

using dynamo::StreamEvent;
using dynamo::StreamRecord;
using dynamo::StreamView;
using value::EncodedItem;
using value::ValueView;

bool shows_new(StreamView view) {
    return view == StreamView::kNewImage || view == StreamView::kNewAndOldImages;
}
bool shows_old(StreamView view) {
    return view == StreamView::kOldImage || view == StreamView::kNewAndOldImages;
}

// The key attributes of `item` as a map.
std::string key_map(const Table& table, ValueView item) {
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto mark = writer.begin_map(table.key.size());
    for (const auto& entry : item.entries()) {
        if (table.key.has(entry.name)) {
            writer.name(entry.name);
            writer.copy(entry.value);
        }
    }
    writer.end(mark);
    return bytes;
}

StreamEvent event_of(const ItemChange& change) {
    if (!change.before) {
        return StreamEvent::kInsert;
    }
    return change.after ? StreamEvent::kModify : StreamEvent::kRemove;
}

// A map value. Names are written to disk, in byte order: never rename one.
std::string encode_record(
    const ItemChange& change, StreamView view, std::int64_t millis, ValueView keys
) {
    const auto after = shows_new(view) ? change.after : std::nullopt;
    const auto before = shows_old(view) ? change.before : std::nullopt;
    auto size = value::item_size(keys);
    std::string bytes;
    value::ValueWriter writer(bytes);
    const std::size_t optional_members =
        (after ? 1U : 0U) + (before ? 1U : 0U) + (change.expired ? 1U : 0U);
    const auto mark = writer.begin_map(4 + optional_members);
    writer.name("event");
    writer.number(std::to_string(static_cast<int>(event_of(change))));
    if (change.expired) {
        writer.name("expired");
        writer.boolean(true);
    }
    writer.name("keys");
    writer.copy(keys);
    if (after) {
        writer.name("new");
        writer.copy(*after);
        size += value::item_size(*after);
    }
    if (before) {
        writer.name("old");
        writer.copy(*before);
        size += value::item_size(*before);
    }
    writer.name("size");
    writer.number(std::to_string(size));
    writer.name("time");
    writer.number(std::to_string(millis / 1000));
    writer.end(mark);
    return bytes;
}

std::int64_t integer(const std::optional<ValueView>& number) {
    return number ? std::strtoll(std::string(number->text()).c_str(), nullptr, 10) : 0;
}

std::optional<EncodedItem> copy_of(const std::optional<ValueView>& item) {
    return item ? std::optional<EncodedItem>(std::string(item->bytes())) : std::nullopt;
}

// 32 characters of hexadecimal, the same each time the record is read.
std::string event_id(const Stream& stream, Sequence sequence) {
    const auto name = stream.arn + "/" + std::to_string(sequence);
    char text[40];
    std::snprintf(
        text,
        sizeof text,
        "%016llx%016llx",
        static_cast<unsigned long long>(hash64(name)),
        static_cast<unsigned long long>(hash64(name + "/"))
    );
    return text;
}

void add_generation(CommitContext& context, Stream& stream) {
    ShardGeneration next{
        .number = 0,
        .started_millis = context.batch_millis(),
        .first_sequence = context.next_sequence(),
        .last_sequence = std::nullopt,
    };
    if (!stream.generations.empty()) {
        const auto& last = stream.generations.back();
        next.number = last.number + 1;
        // Ids of shards sort by it, also when the clock was set back.
        next.started_millis = std::max(next.started_millis, last.started_millis + 1);
    }
    stream.generations.push_back(next);
}

void close_generation(CommitContext& context, Stream& stream) {
    stream.generations.back().last_sequence = context.next_sequence();
}

// "2025-03-01T00:00:00.000": the time, or the first millisecond behind it that no other stream of
// the table is named after.
std::string new_label(const CommitContext& context, const Table& table) {
    for (auto millis = context.batch_millis();; ++millis) {
        auto label = render_rfc3339(millis);
        label.pop_back();  // the Z
        if (context.catalog().find_stream(stream_arn(table.description.arn, label)) == nullptr) {
            return label;
        }
    }
}

bool is_over(const Stream& stream, std::int64_t now_millis) {
    return stream.disabled_millis && *stream.disabled_millis + kStreamRetentionMillis <= now_millis;
}

bool wants_new_shards(const Stream& stream, std::int64_t now_millis) {
    return stream.enabled() &&
           stream.generations.back().started_millis + kShardLifetimeMillis <= now_millis;
}

bool is_past(const ShardGeneration& generation, std::int64_t now_millis) {
    return generation.last_sequence && *generation.last_sequence < trim_horizon(now_millis);
}

void erase_records(
    CommitContext& context,
    const Stream& stream,
    const ShardGeneration& generation,
    Sequence behind_last
) {
    const auto first = stream.first_shard(generation);
    for (auto shard = first; shard < first + stream.shards_per_generation; ++shard) {
        context.batch().erase_range(
            stream_record_key(stream.id, shard, 0), stream_record_key(stream.id, shard, behind_last)
        );
    }
}

}  // namespace

void append_stream_record(CommitContext& context, const ItemChange& change) {
    if (change.before && change.after && *change.before == *change.after) {
        return;
    }
    const auto stream = context.catalog().find_stream(change.table.stream->arn);
    if (stream == nullptr || !stream->enabled()) {
        return;
    }
    const auto keys = key_map(change.table, change.after ? *change.after : *change.before);
    const auto slot = static_cast<unsigned char>(item_key_suffix(change.key).front()) %
                      stream->shards_per_generation;
    const auto shard = stream->first_shard(stream->generations.back()) + slot;
    context.batch().put(
        stream_record_key(stream->id, shard, context.next_sequence()),
        encode_record(change, stream->view, context.batch_millis(), ValueView(keys.data()))
    );
}

StreamRecord decode_stream_record(const Stream& stream, Sequence sequence, std::string_view bytes) {
    const ValueView record(bytes.data());
    const auto keys = record.find("keys");
    return {
        .id = event_id(stream, sequence),
        .event = static_cast<StreamEvent>(integer(record.find("event"))),
        .sequence = sequence_text(sequence),
        .created_seconds = integer(record.find("time")),
        .size_bytes = integer(record.find("size")),
        .keys = keys ? EncodedItem(std::string(keys->bytes())) : EncodedItem(),
        .new_image = copy_of(record.find("new")),
        .old_image = copy_of(record.find("old")),
        .by_time_to_live = record.find("expired").has_value(),
    };
}

void open_stream(CommitContext& context, Table& table, StreamView view) {
    auto stream = std::make_shared<Stream>();
    stream->id = static_cast<StreamId>(context.next_sequence());
    stream->label = new_label(context, table);
    stream->arn = stream_arn(table.description.arn, stream->label);
    stream->table_name = table.name();
    stream->view = view;
    stream->created_millis = context.batch_millis();
    stream->key_schema = table.description.key_schema;
    add_generation(context, *stream);
    table.stream = {.arn = stream->arn, .label = stream->label, .view = view, .enabled = true};
    context.store_stream(std::move(stream));
}

void close_stream(CommitContext& context, Table& table) {
    table.stream->enabled = false;
    const auto stream = context.catalog().find_stream(table.stream->arn);
    if (stream == nullptr) {
        return;
    }
    auto closed = std::make_shared<Stream>(*stream);
    close_generation(context, *closed);
    closed->disabled_millis = context.batch_millis();
    context.store_stream(std::move(closed));
}

bool needs_tending(const Stream& stream, std::int64_t now_millis) {
    return is_over(stream, now_millis) || wants_new_shards(stream, now_millis) ||
           (stream.generations.size() > 1 && is_past(stream.generations.front(), now_millis));
}

void tend_stream(CommitContext& context, const Stream& stream, std::int64_t now_millis) {
    if (is_over(stream, now_millis)) {
        const auto records = stream_records_range(stream.id);
        context.batch().erase_range(records.begin, records.end);
        context.remove_stream(stream);
        return;
    }
    const auto horizon = trim_horizon(now_millis);
    for (const auto& generation : stream.generations) {
        erase_records(context, stream, generation, horizon);
    }
    if (!needs_tending(stream, now_millis)) {
        return;
    }
    auto changed = std::make_shared<Stream>(stream);
    if (wants_new_shards(stream, now_millis)) {
        close_generation(context, *changed);
        add_generation(context, *changed);
    }
    // The last generation stays: a disabled stream shows its shards until it goes.
    while (changed->generations.size() > 1 && is_past(changed->generations.front(), now_millis)) {
        changed->generations.erase(changed->generations.begin());
    }
    context.store_stream(std::move(changed));
}

}  // namespace gateleg::engine

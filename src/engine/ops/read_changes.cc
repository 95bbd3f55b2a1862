#include <algorithm>

#include "engine/keyspace.h"
#include "engine/ops/stream_operations.h"
#include "engine/stream_log.h"
#include "storage/cursor.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::ChangesRange;
using dynamo::ChangesReply;
using dynamo::ChangesRequest;

// The stream that is switched on for the table, null if there is none, and the last number given
// out: the cursors of later see every record up to it, in whichever shard.
struct Followed {
    std::shared_ptr<const Stream> stream;
    Sequence newest = 0;
};

Result<Followed> find_followed(const Core& core, const std::string& name) {
    const auto [catalog, newest] = core.committer.numbered();
    const auto table = catalog->find(name);
    if (table == nullptr) {
        return resource_not_found("Requested resource not found: Table: " + name + " not found");
    }
    if (!table->has_enabled_stream()) {
        return Followed{};
    }
    return Followed{catalog->find_stream(table->stream->arn), newest};
}

// Nothing of the stream is left at or before this number.
Sequence horizon_of(const Stream& stream, std::int64_t now_millis) {
    return std::max(static_cast<Sequence>(stream.id), trim_horizon(now_millis)) - 1;
}

// The shards of one generation, read as one.
class MergedShards {
public:
    MergedShards(
        const Core& core, const Stream& stream, const ShardGeneration& generation, Sequence from
    ) {
        const auto first = stream.first_shard(generation);
        for (auto shard = first; shard < first + stream.shards_per_generation; ++shard) {
            const auto range = shard_range(stream.id, shard);
            auto cursor = core.store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
            cursor->seek(stream_record_key(stream.id, shard, from));
            cursors_.push_back(std::move(cursor));
        }
    }

    // The cursor at the smallest number, or null behind the last.
    storage::Cursor* next() const {
        storage::Cursor* best = nullptr;
        for (const auto& cursor : cursors_) {
            if (cursor->valid() && (best == nullptr || sequence_of_record_key(cursor->key()) <
                                                           sequence_of_record_key(best->key()))) {
                best = cursor.get();
            }
        }
        return best;
    }

    Result<void> status() const {
        for (const auto& cursor : cursors_) {
            GATELEG_TRY(cursor->status());
        }
        return {};
    }

private:
    std::vector<std::unique_ptr<storage::Cursor>> cursors_;
};

}  // namespace

Result<ChangesRange> changes_range(const Core& core, const std::string& table) {
    GATELEG_TRY_ASSIGN(const auto followed, find_followed(core, table));
    const auto& [stream, newest] = followed;
    if (stream == nullptr) {
        return ChangesRange{};
    }
    const auto horizon = horizon_of(*stream, core.clock.now_millis());
    return ChangesRange{
        .enabled = true,
        .view = stream->view,
        .horizon = sequence_text(std::min(horizon, newest)),
        .latest = sequence_text(newest),
    };
}

Result<ChangesReply> read_changes(const Core& core, const ChangesRequest& request) {
    GATELEG_TRY_ASSIGN(const auto followed, find_followed(core, request.table));
    const auto& [stream, newest] = followed;
    if (stream == nullptr) {
        return ChangesReply{};
    }
    const auto after = parse_sequence(request.after);
    if (!after || *after > newest) {
        return validation_error("Invalid SequenceNumber: it was not given out yet");
    }
    const auto horizon = std::min(newest, horizon_of(*stream, core.clock.now_millis()));
    const auto from = std::max(*after, horizon) + 1;
    ChangesReply reply{
        .enabled = true,
        .view = stream->view,
        .records = {},
        .position = sequence_text(std::max(*after, newest)),
        .gap = *after < horizon};
    std::size_t bytes = 0;
    for (const auto& generation : stream->generations) {
        if (generation.last_sequence && *generation.last_sequence < from) {
            continue;
        }
        const MergedShards shards(core, *stream, generation, from);
        for (auto* cursor = shards.next(); cursor != nullptr; cursor = shards.next()) {
            const auto sequence = sequence_of_record_key(cursor->key());
            if (sequence > newest) {
                break;
            }
            if (reply.records.size() >= request.limit || bytes > request.max_bytes) {
                reply.position = reply.records.back().sequence;
                reply.more = true;
                return reply;
            }
            reply.records.push_back(decode_stream_record(*stream, sequence, cursor->value()));
            bytes += static_cast<std::size_t>(reply.records.back().size_bytes);
            cursor->next();
        }
        GATELEG_TRY(shards.status());
    }
    return reply;
}

}  // namespace gateleg::engine::ops

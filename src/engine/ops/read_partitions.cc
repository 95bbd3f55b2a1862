#include <algorithm>

#include "engine/keyspace.h"
#include "engine/ops/operations.h"
#include "storage/cursor.h"
#include "value/key_codec.h"
#include "value/value_writer.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::Partition;
using value::ValueView;

// Partitions looked at in one call when most of them do not have the prefix.
constexpr std::size_t kMaxLooks = 20'000;
// Of all items in a reply, about.
constexpr std::size_t kMaxReplyBytes = std::size_t{4} << 20;

// The attributes of the partition key, as a map.
value::EncodedItem key_of(const KeyDefinition& key, ValueView item) {
    std::vector<ValueView::Entry> kept;
    for (const auto& entry : item.entries()) {
        const bool in_key = std::any_of(key.hash.begin(), key.hash.end(), [&](const auto& each) {
            return each.name == entry.name;
        });
        if (in_key) {
            kept.push_back(entry);
        }
    }
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto mark = writer.begin_map(kept.size());
    for (const auto& entry : kept) {
        writer.name(entry.name);
        writer.copy(entry.value);
    }
    writer.end(mark);
    return value::EncodedItem(std::move(bytes));
}

class PartitionWalk {
public:
    PartitionWalk(const Core& core, const dynamo::PartitionsRequest& request)
        : core_(core), request_(request) {}

    Result<dynamo::PartitionsReply> run() {
        GATELEG_TRY(bind());
        const auto range = index_range(table_->id, index_id());
        const auto prefix = index_prefix(table_->id, index_id());
        cursor_ = core_.store.cursor(
            {.lower_bound = range.begin, .upper_bound = range.end, .fill_cache = false}
        );
        cursor_->seek(prefix + request_.after);
        dynamo::PartitionsReply reply;
        std::size_t looks = 0;
        while (cursor_->valid()) {
            if (reply.partitions.size() >= request_.limit || looks++ >= kMaxLooks ||
                bytes_ > kMaxReplyBytes) {
                reply.next = cursor_->key().substr(prefix.size());
                break;
            }
            visit(reply);
        }
        GATELEG_TRY(cursor_->status());
        return reply;
    }

private:
    Result<void> bind() {
        GATELEG_TRY_ASSIGN(table_, core_.get_table(request_.table));
        if (!request_.index) {
            return {};
        }
        index_ = table_->find_index(*request_.index);
        if (index_ == nullptr) {
            return validation_error(
                "The table does not have the specified index: " + *request_.index
            );
        }
        if (index_->backfilling) {
            return validation_error(
                "Cannot read from backfilling global secondary index: " + *request_.index
            );
        }
        return {};
    }

    const KeyDefinition& key() const { return index_ == nullptr ? table_->key : index_->key; }
    IndexId index_id() const { return index_ == nullptr ? kPrimary : index_->id; }

    bool is_wanted(ValueView item) const {
        if (request_.prefix.empty()) {
            return true;
        }
        const auto first = item.find(key().hash.front().name);
        return first && first->text().starts_with(request_.prefix);
    }

    // The partition at the cursor, which then stands at the next one.
    void visit(dynamo::PartitionsReply& reply) {
        const ValueView first(cursor_->value().data());
        std::string hash;
        for (const auto& attribute : key().hash) {
            value::append_key(hash, *first.find(attribute.name));
        }
        const auto end = after_prefix(partition_prefix(table_->id, index_id(), hash));
        if (is_wanted(first)) {
            Partition partition{.key = key_of(key(), first), .items = {}};
            while (cursor_->valid() && cursor_->key() < end) {
                if (partition.items.size() >= request_.items) {
                    partition.more = true;
                    break;
                }
                partition.items.emplace_back(std::string(cursor_->value()));
                bytes_ += cursor_->value().size();
                cursor_->next();
            }
            reply.partitions.push_back(std::move(partition));
        }
        if (cursor_->valid() && cursor_->key() < end) {
            cursor_->seek(end);
        }
    }

    const Core& core_;
    const dynamo::PartitionsRequest& request_;
    std::shared_ptr<const Table> table_;
    const Index* index_ = nullptr;
    std::unique_ptr<storage::Cursor> cursor_;
    std::size_t bytes_ = 0;
};

}  // namespace

Result<dynamo::PartitionsReply> read_partitions(
    const Core& core, const dynamo::PartitionsRequest& request
) {
    return PartitionWalk(core, request).run();
}

}  // namespace gateleg::engine::ops

#include "remote/decode_reply.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote {

using internal::ReplyReader;

Result<void> decode_reply(std::string_view body, dynamo::GetItemReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        reply.item = in.item("Item");
        reply.capacity = internal::decode_capacity(in);
    });
}

Result<void> decode_reply(std::string_view body, dynamo::ItemWriteReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        reply.attributes = in.item("Attributes");
        reply.capacity = internal::decode_capacity(in);
        if (const auto metrics = in.object("ItemCollectionMetrics")) {
            reply.collection_metrics = internal::decode_metrics(*metrics);
        }
    });
}

Result<void> decode_reply(std::string_view body, dynamo::PageReply& reply) {
    return internal::read_reply(body, [&](const ReplyReader& in) {
        reply.count_only = !in.has("Items");
        in.each_of_list("Items", [&](simdjson::dom::element json) {
            internal::decode_next_item(in.complaint(), json, reply.items);
        });
        reply.count = in.integer("Count").value_or(static_cast<std::int64_t>(reply.items.size()));
        reply.scanned_count = in.integer("ScannedCount").value_or(reply.count);
        reply.last_evaluated_key = in.item("LastEvaluatedKey");
        reply.capacity = internal::decode_capacity(in);
    });
}

}  // namespace gateleg::remote

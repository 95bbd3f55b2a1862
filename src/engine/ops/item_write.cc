#include "engine/ops/item_write.h"

#include <algorithm>

#include "value/value_writer.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::ItemWriteReply;
using dynamo::ReturnValues;
using value::EncodedItem;

class ItemWriteOperation final : public WriteOperation {
public:
    ItemWriteOperation(ItemWriteCall call, ItemWriteDone done)
        : options_(call.options),
          writer_(call.kind, std::move(call.write), std::move(call.item), std::move(call.update)),
          done_(std::move(done)) {
        writer_.want_updated(
            options_.return_values == ReturnValues::kUpdatedOld,
            options_.return_values == ReturnValues::kUpdatedNew
        );
    }

    Result<void> prepare(const Core& core) {
        GATELEG_TRY(writer_.compile(core.expressions));
        GATELEG_TRY_ASSIGN(auto table, core.get_table(writer_.table_name()));
        GATELEG_TRY(writer_.bind(std::move(table)));
        auto room = core.early_room();
        writer_.read_early(core.store, room);
        return {};
    }

    void apply(CommitContext& context) override {
        evaluated_ = writer_.evaluate(context);
        if (evaluated_) {
            const bool priced = options_.return_capacity != dynamo::ReturnCapacity::kNone;
            writer_.apply(context, priced ? &cost_ : nullptr);
        }
    }

    void finish(const Result<void>& committed) override {
        if (!committed) {
            done_(committed.error());
        } else if (!evaluated_) {
            done_(std::move(evaluated_).error());
        } else {
            done_(make_reply());
        }
    }

    void refuse(Error error) { done_(std::move(error)); }

private:
    ItemWriteReply make_reply() {
        ItemWriteReply reply{.attributes = returned_attributes()};
        if (options_.return_capacity != dynamo::ReturnCapacity::kNone) {
            reply.capacity = consumed(writer_.table_name(), cost_, options_.return_capacity);
        }
        if (options_.return_collection_metrics) {
            reply.collection_metrics = collection_metrics(writer_.table(), writer_.request_item());
        }
        return reply;
    }

    std::optional<EncodedItem> returned_attributes() {
        const auto copy = [](const std::optional<value::ValueView>& item) {
            return item ? std::optional<EncodedItem>(std::string(item->bytes())) : std::nullopt;
        };
        const auto updated = [](const std::string& bytes) {
            // An update that touched nothing returns no attributes at all.
            return bytes.empty() || value::ValueView(bytes.data()).count() == 0
                       ? std::nullopt
                       : std::optional<EncodedItem>(bytes);
        };
        switch (options_.return_values) {
            case ReturnValues::kNone:
                return std::nullopt;
            case ReturnValues::kAllOld:
                return copy(writer_.old_item());
            case ReturnValues::kAllNew:
                return copy(writer_.new_item());
            case ReturnValues::kUpdatedOld:
                return writer_.old_item() ? updated(writer_.updated_old()) : std::nullopt;
            case ReturnValues::kUpdatedNew:
                return updated(writer_.updated_new());
        }
        return std::nullopt;
    }

    dynamo::ItemWriteOptions options_;
    ItemWriter writer_;
    ItemWriteDone done_;
    Result<void> evaluated_;
    WriteCost cost_;
};

}  // namespace

std::optional<dynamo::ItemCollectionMetrics> collection_metrics(
    const Table& table, value::ValueView item
) {
    if (!table.has_local_indexes()) {
        return std::nullopt;
    }
    const auto& hash = table.key.hash.front().name;
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto mark = writer.begin_map(1);
    writer.name(hash);
    writer.copy(*item.find(hash));
    writer.end(mark);
    return dynamo::ItemCollectionMetrics{.key = EncodedItem(std::move(bytes))};
}

CollectionMetricsByTable all_collection_metrics(const std::deque<ItemWriter>& writers) {
    CollectionMetricsByTable all;
    for (const auto& writer : writers) {
        auto metrics = collection_metrics(writer.table(), writer.request_item());
        if (!metrics) {
            continue;
        }
        auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) {
            return each.first == writer.table_name();
        });
        if (found == all.end()) {
            found = all.insert(all.end(), {writer.table_name(), {}});
        }
        found->second.push_back(*std::move(metrics));
    }
    return all;
}

void run_item_write(const Core& core, ItemWriteCall call, ItemWriteDone done) {
    auto operation = std::make_unique<ItemWriteOperation>(std::move(call), std::move(done));
    if (auto prepared = operation->prepare(core); !prepared) {
        operation->refuse(std::move(prepared).error());
        return;
    }
    core.submit(std::move(operation));
}

}  // namespace gateleg::engine::ops
